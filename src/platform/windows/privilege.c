/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/privilege.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/path.h"
#include "platform/windows/native.h"

#include <aclapi.h>
#include <sddl.h>

/* Where the reason goes. */
typedef struct Why {
    char *text;
    size_t size;
} Why;

__attribute__((format(printf, 3, 4))) static int refuse(const Why *why, int error,
                                                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, why->size, format, arguments);
    va_end(arguments);
    return error;
}

/* A program has the rights of whoever starts it, or asks that user for more. */
bool vmaf_privilege_is_borrowed(void)
{
    return false;
}

/* ---- Who we are ---- */

typedef struct Rights {
    bool is_elevated; /* administrators' rights, or the system's */
    TOKEN_USER *user; /* to be freed */
} Rights;

static void *query(HANDLE token, TOKEN_INFORMATION_CLASS what)
{
    DWORD size = 0;
    GetTokenInformation(token, what, NULL, 0, &size);
    void *information = size ? malloc(size) : NULL;
    if (information && GetTokenInformation(token, what, information, size, &size))
        return information;
    free(information);
    return NULL;
}

static int find_rights(Rights *rights)
{
    HANDLE token;
    *rights = (Rights){0};
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return vmaf_last_error();
    TOKEN_ELEVATION *elevation = query(token, TokenElevation);
    rights->user = query(token, TokenUser);
    CloseHandle(token);
    const int err = rights->user ? 0 : -ENOMEM;
    if (!err) {
        rights->is_elevated = (elevation && elevation->TokenIsElevated) ||
                              IsWellKnownSid(rights->user->User.Sid, WinLocalSystemSid);
    }
    free(elevation);
    return err;
}

/* ---- Who may change a file ---- */

/* TrustedInstaller, which the files of the system belong to. */
static bool is_installer(PSID sid)
{
    PSID installer;
    if (!ConvertStringSidToSidW(L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
                                &installer))
        return false;
    const bool is = EqualSid(sid, installer);
    LocalFree(installer);
    return is;
}

/* Programs of one user can do what they like with each other, elevated or not (User Account Control
 * is no boundary of security). */
static bool is_trusted(PSID sid, const Rights *rights)
{
    return IsWellKnownSid(sid, WinLocalSystemSid) ||
           IsWellKnownSid(sid, WinCreatorOwnerRightsSid) || /* the owner is looked at, too */
           IsWellKnownSid(sid, WinBuiltinAdministratorsSid) || is_installer(sid) ||
           EqualSid(sid, rights->user->User.Sid);
}

/* What lets somebody change a file, or take the place of one in a folder. */
enum {
    OWN = DELETE | WRITE_DAC | WRITE_OWNER | (int)GENERIC_ALL | GENERIC_WRITE,
    CHANGE_FILE = OWN | FILE_WRITE_DATA | FILE_APPEND_DATA,
    CHANGE_FOLDER = OWN | FILE_DELETE_CHILD,
    ADD_TO_FOLDER = CHANGE_FOLDER | FILE_ADD_FILE,
};

/* True if somebody else is allowed any of these. */
static bool allows_others(PACL list, int access, const Rights *rights)
{
    if (!list)
        return true; /* everybody may do everything */
    for (DWORD i = 0; i < list->AceCount; i++) {
        ACE_HEADER *entry;
        if (!GetAce(list, i, (void **)&entry))
            return true;
        if ((entry->AceFlags & INHERIT_ONLY_ACE) || entry->AceType == ACCESS_DENIED_ACE_TYPE)
            continue;
        if (entry->AceType != ACCESS_ALLOWED_ACE_TYPE)
            return true; /* of a kind that files do not have, perhaps with conditions */
        ACCESS_ALLOWED_ACE *allowed = (ACCESS_ALLOWED_ACE *)(void *)entry;
        if ((allowed->Mask & (DWORD)access) && !is_trusted(&allowed->SidStart, rights))
            return true;
    }
    return false;
}

static int check(const char *path, const char *what, int access, const Rights *rights,
                 const Why *why)
{
    PSID owner = NULL;
    PACL list = NULL;
    PSECURITY_DESCRIPTOR security = NULL;
    wchar_t *wide;
    int err = vmaf_wide_path(path, &wide);
    if (err)
        return refuse(why, err, "%s", strerror(-err));
    const DWORD error = GetNamedSecurityInfoW(
        wide, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, NULL,
        &list, NULL, &security);
    free(wide);
    if (error) {
        err = vmaf_error_from(error);
        return refuse(why, err, "%s: %s", path, strerror(-err));
    }
    if (!owner || !is_trusted(owner, rights))
        err = refuse(why, -EACCES,
                     "refused in a privileged program: the %s %s belongs to another user", what,
                     path);
    else if (allows_others(list, access, rights))
        err =
            refuse(why, -EACCES, "refused in a privileged program: the %s %s is writable by others",
                   what, path);
    LocalFree(security);
    return err;
}

/* ---- The file and what is above it ---- */

/* True if a file in `folder` lies below `path`, which ends without a slash unless it is a root. */
static bool holds(const char *path, const char *folder)
{
    const size_t length = strlen(path);
    return folder && strncmp(folder, path, length) == 0 &&
           (path[length - 1] == '/' || folder[length] == '/' || folder[length] == '\0');
}

/* Cuts off the last part: of "C:/file" remains "C:/". False if nothing was left to cut. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || !slash[1])
        return false;
    slash[slash > path && slash[-1] == ':'] = '\0';
    return *path != '\0' && strcmp(path, "/") != 0;
}

static int check_folders(const char *file, const char *trusted, const Rights *rights,
                         const Why *why)
{
    char *folder = _strdup(file);
    int err = folder ? 0 : refuse(why, -ENOMEM, "out of memory");
    for (bool direct = true; !err && go_up(folder); direct = false) {
        if (direct || !holds(folder, trusted))
            err = check(folder, "directory", direct ? ADD_TO_FOLDER : CHANGE_FOLDER, rights, why);
    }
    free(folder);
    return err;
}

static int check_all(const char *path, const char *trusted, const Rights *rights, const Why *why)
{
    VmafFileStatus status;
    int err = vmaf_file_status_at(path, &status);
    if (err)
        return refuse(why, err, "%s", strerror(-err));
    if (status.kind != VMAF_FILE_REGULAR)
        return refuse(why, -EINVAL, "not a regular file");
    err = check(path, "file", CHANGE_FILE, rights, why);
    return err ? err : check_folders(path, trusted, rights, why);
}

int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *text, size_t size)
{
    const Why why = {text, size};
    Rights rights;
    *resolved = NULL;
    int err = find_rights(&rights);
    if (err)
        return refuse(&why, err, "%s", strerror(-err));
    if (rights.is_elevated)
        err = vmaf_path_real(path, resolved);
    else if (!(*resolved = _strdup(path)))
        err = -ENOMEM;
    if (err)
        refuse(&why, err, "%s", err == -ENOMEM ? "out of memory" : strerror(-err));
    else if (rights.is_elevated)
        err = check_all(*resolved, trusted_folder, &rights, &why);
    free(rights.user);
    if (err) {
        free(*resolved);
        *resolved = NULL;
    }
    return err;
}
