//! The functions that have a model in C, by their C names; those of `math.h` are apart. Knows nothing of how a model is
//! carried out.

/// Strings and memory blocks.
pub(super) fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "strlen" => "__tandem_strlen",
        "strnlen" => "__tandem_strnlen",
        "strcpy" => "__tandem_strcpy",
        "stpcpy" | "__stpcpy" => "__tandem_stpcpy",
        "strncpy" => "__tandem_strncpy",
        "strcat" => "__tandem_strcat",
        "strncat" => "__tandem_strncat",
        "strcmp" | "strcoll" => "__tandem_strcmp",
        "strncmp" => "__tandem_strncmp",
        "strcasecmp" => "__tandem_strcasecmp",
        "strncasecmp" => "__tandem_strncasecmp",
        "strchr" | "index" => "__tandem_strchr",
        "strchrnul" => "__tandem_strchrnul",
        "strrchr" | "rindex" => "__tandem_strrchr",
        "strstr" => "__tandem_strstr",
        "strspn" => "__tandem_strspn",
        "strcspn" => "__tandem_strcspn",
        "strpbrk" => "__tandem_strpbrk",
        "strtok" => "__tandem_strtok",
        "strdup" | "__strdup" => "__tandem_strdup",
        "strndup" | "__strndup" => "__tandem_strndup",
        "memcmp" | "bcmp" => "__tandem_memcmp",
        "memchr" => "__tandem_memchr",
        "memrchr" => "__tandem_memrchr",
        "rawmemchr" | "__rawmemchr" => "__tandem_rawmemchr",
        "memmem" => "__tandem_memmem",
        "memccpy" => "__tandem_memccpy",
        "stpncpy" | "__stpncpy" => "__tandem_stpncpy",
        "strcasestr" => "__tandem_strcasestr",
        "strsep" => "__tandem_strsep",
        "strtok_r" | "__strtok_r" => "__tandem_strtok_r",
        "swab" => "__tandem_swab",
        "mempcpy" | "__mempcpy" => "__tandem_mempcpy",
        "bzero" => "__tandem_bzero",
        "explicit_bzero" => "__tandem_explicit_bzero",
        "bcopy" => "__tandem_bcopy",
        "aligned_alloc" | "memalign" => "__tandem_aligned_alloc",
        "posix_memalign" => "__tandem_posix_memalign",
        "reallocarray" => "__tandem_reallocarray",
        "__errno_location" => "__tandem_errno_location",
        "assert" => "__tandem_assert",
        "change_errno" => "__tandem_change_errno",
        "lfind" => "__tandem_lfind",
        "qsort" => "__tandem_qsort",
        "bsearch" => "__tandem_bsearch",
        _ => return None,
    })
}

pub(super) fn number(name: &str) -> Option<&'static str> {
    Some(match name {
        "strtol" | "__strtol_internal" | "__isoc23_strtol" => "__tandem_strtol",
        "strtoll" | "strtoq" | "strtoimax" | "__strtoll_internal" | "__isoc23_strtoll" | "__isoc23_strtoimax" => {
            "__tandem_strtoll"
        }
        "strtoul" | "__strtoul_internal" | "__isoc23_strtoul" => "__tandem_strtoul",
        "strtoull" | "strtouq" | "strtoumax" | "__strtoull_internal" | "__isoc23_strtoull" | "__isoc23_strtoumax" => {
            "__tandem_strtoull"
        }
        "atoi" => "__tandem_atoi",
        "atol" => "__tandem_atol",
        "atoll" => "__tandem_atoll",
        "abs" => "__tandem_abs",
        "labs" => "__tandem_labs",
        "llabs" | "imaxabs" => "__tandem_llabs",
        "wcstol" => "__tandem_wcstol",
        "wcstoll" | "wcstoq" | "wcstoimax" => "__tandem_wcstoll",
        "wcstoul" => "__tandem_wcstoul",
        "wcstoull" | "wcstouq" | "wcstoumax" => "__tandem_wcstoull",
        "div" => "__tandem_div",
        "ldiv" => "__tandem_ldiv",
        "lldiv" | "imaxdiv" => "__tandem_lldiv",
        "ffs" => "__tandem_ffs",
        "ffsl" => "__tandem_ffsl",
        "ffsll" => "__tandem_ffsll",
        "htonl" | "ntohl" => "__tandem_htonl",
        "htons" | "ntohs" => "__tandem_htons",
        "rand_r" => "__tandem_rand_r",
        _ => return None,
    })
}

pub(super) fn character(name: &str) -> Option<&'static str> {
    Some(match name {
        "isupper" => "__tandem_isupper",
        "islower" => "__tandem_islower",
        "isdigit" => "__tandem_isdigit",
        "isalpha" => "__tandem_isalpha",
        "isalnum" => "__tandem_isalnum",
        "isspace" => "__tandem_isspace",
        "isblank" => "__tandem_isblank",
        "iscntrl" => "__tandem_iscntrl",
        "isprint" => "__tandem_isprint",
        "isgraph" => "__tandem_isgraph",
        "ispunct" => "__tandem_ispunct",
        "isxdigit" => "__tandem_isxdigit",
        "isascii" => "__tandem_isascii",
        "toascii" => "__tandem_toascii",
        "toupper" => "__tandem_toupper",
        "tolower" => "__tandem_tolower",
        "__ctype_b_loc" => "__tandem_ctype_b_loc",
        "__ctype_toupper_loc" => "__tandem_ctype_toupper_loc",
        "__ctype_tolower_loc" => "__tandem_ctype_tolower_loc",
        _ => return None,
    })
}

/// Texts of wide characters.
pub(super) fn wide(name: &str) -> Option<&'static str> {
    Some(match name {
        "wcslen" => "__tandem_wcslen",
        "wcsnlen" => "__tandem_wcsnlen",
        "wcscpy" => "__tandem_wcscpy",
        "wcpcpy" => "__tandem_wcpcpy",
        "wcsncpy" => "__tandem_wcsncpy",
        "wcpncpy" => "__tandem_wcpncpy",
        "wcscat" => "__tandem_wcscat",
        "wcsncat" => "__tandem_wcsncat",
        "wcscmp" | "wcscoll" => "__tandem_wcscmp",
        "wcsncmp" => "__tandem_wcsncmp",
        "wcscasecmp" => "__tandem_wcscasecmp",
        "wcsncasecmp" => "__tandem_wcsncasecmp",
        "wcschr" => "__tandem_wcschr",
        "wcschrnul" => "__tandem_wcschrnul",
        "wcsrchr" => "__tandem_wcsrchr",
        "wcsstr" | "wcswcs" => "__tandem_wcsstr",
        "wcsspn" => "__tandem_wcsspn",
        "wcscspn" => "__tandem_wcscspn",
        "wcspbrk" => "__tandem_wcspbrk",
        "wcstok" => "__tandem_wcstok",
        "wcsdup" => "__tandem_wcsdup",
        "wmemcpy" => "__tandem_wmemcpy",
        "wmempcpy" => "__tandem_wmempcpy",
        "wmemmove" => "__tandem_wmemmove",
        "wmemset" => "__tandem_wmemset",
        "wmemcmp" => "__tandem_wmemcmp",
        "wmemchr" => "__tandem_wmemchr",
        _ => return None,
    })
}

/// The checked forms, which have the size of the object as one more argument and abort if it is too small.
pub(super) fn checked(name: &str) -> Option<&'static str> {
    Some(match name.strip_prefix("__")?.strip_suffix("_chk")? {
        "memcpy" => "__tandem_memcpy_chk",
        "memmove" => "__tandem_memmove_chk",
        "mempcpy" => "__tandem_mempcpy_chk",
        "memset" => "__tandem_memset_chk",
        "explicit_bzero" => "__tandem_explicit_bzero_chk",
        "strcpy" => "__tandem_strcpy_chk",
        "stpcpy" => "__tandem_stpcpy_chk",
        "strncpy" => "__tandem_strncpy_chk",
        "stpncpy" => "__tandem_stpncpy_chk",
        "strcat" => "__tandem_strcat_chk",
        "strncat" => "__tandem_strncat_chk",
        _ => return None,
    })
}

/// Time, streams, messages, the rounding mode, the end of the program.
pub(super) fn other(name: &str) -> Option<&'static str> {
    Some(match name {
        "time" => "__tandem_time",
        "clock_gettime" => "__tandem_clock_gettime",
        "gettimeofday" => "__tandem_gettimeofday",
        "setvbuf" => "__tandem_setvbuf",
        "setbuf" => "__tandem_setbuf",
        "error" => "__tandem_error",
        "error_at_line" => "__tandem_error_at_line",
        "gettext" => "__tandem_gettext",
        "dgettext" => "__tandem_dgettext",
        "dcgettext" => "__tandem_dcgettext",
        "ngettext" => "__tandem_ngettext",
        "assume_aligned" => "__tandem_assume_aligned",
        "atexit" => "__tandem_atexit",
        "fesetround" => "__tandem_fesetround",
        "fegetround" => "__tandem_fegetround",
        _ => return None,
    })
}
