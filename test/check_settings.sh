#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The configuration is part of the interface: a program that was compiled with another setting, type or alignment than the
# library does not link, in C and C++, static and shared. No name of lib/ is one of others, no macro of a program changes
# lib/, and two models live in one program.
#
#   test/check_settings.sh [NAME]          needs gcc, g++, clang, clang++, tcc (if it is there), make
#   LONG=1 test/check_settings.sh [NAME]   every setting with four compilers; without, with gcc, and each day others with g++
set -u
cd "$(dirname "$0")/.." || exit
. test/check_common.sh
. test/options.sh

out=$out/settings
mkdir -p "$out"
house_c="-std=c99 -ffp-contract=off -fno-math-errno -Ilib"
compilers="gcc g++"
[ -z "${LONG:-}" ] || compilers="gcc g++ clang clang++"
plain_compilers=gcc
[ -z "${LONG:-}" ] || plain_compilers="gcc clang"
small_model="-DAF_VOCAB=3 -DAF_CONTEXT=8 -DAF_DIM=16 -DAF_FF=24 -DAF_BLOCKS=1"

# Every macro that a program may set: one that a header of lib/ defines only if nobody else did.
settings() {
    sed -nE 's/^ *# *ifndef +(AF_[A-Za-z0-9_]+).*/\1/p' lib/*.h | grep -v '_H$' | grep -vx __ARM_SIZEOF_MINIMAL_ENUM | sort -u
}

default_of() { # SETTING
    sed -nE "s/^#define $1 (.*)/\1/p" lib/af_config.h | head -n 1
}

other_value() { # SETTING: one that is not the default
    local default
    default=$(default_of "$1")
    case $1 in
    AF_DIM | AF_ALIGN) echo $((2 * default)) ;;
    AF_HEADS) echo 4 ;;
    AF_FF) echo 257 ;;
    AF_DECODE_ROWS) echo 2 ;;
    AF_REAL | AF_UNIT_REAL) echo double ;;
    *)
        if [ "$default" = 0 ] || [[ "$1" != AF_WORKERS && "$1" != AF_MICRO_BATCH && $default = 1 ]]; then
            echo $((1 - default))
        else
            echo $((default + 1))
        fi
        ;;
    esac
}

group() { # NAME: whether a check is wanted whose name begins with this
    wanted "$1" || [[ $only == "$1"* ]]
}

library() { # the default library, static and shared
    [ ! -e "$out/libaf.so" ] || return 0
    rm -rf "$out/o" "$out/libaf.a" && mkdir -p "$out/o"
    # shellcheck disable=SC2086
    (cd "$out/o" && gcc $house_c -I"$OLDPWD/lib" -fPIC -c "$OLDPWD"/lib/*.c && ar rcs ../libaf.a ./*.o &&
        gcc -shared ./*.o -o ../libaf.so)
}

# A program that needs every name of lib/ that its configuration has.
cat >"$out/uses.c" <<'C'
#include "af.h"
#include "af_inner_block.h"
#include "af_inner_kernels.h"
#include "af_inner_liberties.h"
#include "af_inner_pass.h"
#include "af_inner_reader.h"
#include "af_inner_regions.h"
#define SKIP(name)
#define AF_FILE_tile 0, SKIP
#define USE(name) extern __typeof__(name) *const use_##name; __typeof__(name) *const use_##name = &name;
#define AF_NAME(file, name) AF_UNLESS_OWN(AF_FILE_##file, USE)(name)
#define AF_EVERY_NAME 0
#include "af_names.def"
int main(void) { return 0; }
C
cp "$out/uses.c" "$out/uses.cc"

long_names() { # nm's lines: names of lib/ that are not a plain one with its configuration behind it
    grep -oE '\baf_[A-Za-z0-9_]+' | grep -E '_V[0-9]+_T[0-9]+_D[0-9]+_H[0-9]+_L[0-9]+_F[0-9]+_S[01]{5}_M' | sort -u
}

# ------------------------------------------------------------------------------------------- settings, types, alignment

rm -f "$out/libaf.so"
library || fail library "the default library does not compile"

links() { # COMPILER OBJECT LIBRARY
    $1 "$2" "$3" -o "$out/linked" 2>"$out/link.log"
}

setting() { # NAME COMPILER SOURCE OPTION...: a program with these options and the default library do not become one
    wanted "$1" || return 0
    local name=$1 compiler=$2 source=$3 object=$out/uses.o way both
    shift 3
    rm -f "$object"
    # shellcheck disable=SC2086
    if ! $compiler -Ilib "$@" -c "$source" -o "$object" 2>"$out/compile.log"; then
        if grep -qE 'error:.*(AF_|arenaformer|af_static_assert)' "$out/compile.log"; then
            ok "$name" # refused by name
        else
            fail "$name" "it neither compiles nor is refused by name: $(head -n 1 "$out/compile.log")"
        fi
        return
    fi
    # Not one name is the library's, so each function and object alone is enough.
    both=$(comm -12 <(nm -u "$object" | grep -oE '\baf_\w+' | sort -u) <(nm --defined-only "$out/libaf.a" 2>/dev/null | grep -oE '\baf_\w+' | sort -u))
    for way in libaf.a libaf.so; do
        ! links "$compiler" "$object" "$out/$way" || both+=" it links with $way"
    done
    nothing "$name" "goes through" "$both" "$compiler -Ilib $(quoted "$@")-c $source"
}

for compiler in $compilers; do
    source=$out/uses.c
    [[ $compiler != *++ ]] || source=$out/uses.cc
    if wanted "same-$compiler"; then # the same program with the library's configuration, however it is written
        found=
        $compiler -Ilib '-DAF_DIM=(4 * 16)' -DAF_FF=256 '-DAF_MAP=(AF_TRAINING)' -DAF_ADAMW_EPS_E12=10000 -c "$source" -o "$out/uses.o" || found="it does not compile"
        for way in libaf.a libaf.so; do
            links "$compiler" "$out/uses.o" "$out/$way" && LD_LIBRARY_PATH=. "$out/linked" || found+=" it does not run with $way"
        done
        nothing "same-$compiler" "the same configuration does not go through" "$found"
    fi
    [ "$compiler" = gcc ] || one_in=3
    for macro in $(settings); do
        setting "$macro-$compiler" "$compiler" "$source" "-D$macro=$(other_value "$macro")"
    done
    for option in -fshort-enums -fpack-struct -fpack-struct=2 -fpack-struct=4; do
        [[ $option != -fpack-struct || $compiler != clang* ]] || continue # clang takes it with a number only
        setting "alignment$option-$compiler" "$compiler" "$source" "$option"
    done
done
one_in=
if group alignment; then
    printf '#pragma pack(1)\n#include "af.h"\n' >"$out/pack.c"
    printf '#include "af.h"\n' >"$out/plain.c"
    nothing alignment-pragma "#pragma pack(1) before af.h goes through" "$(gcc -Ilib -fsyntax-only "$out/pack.c" 2>/dev/null && echo "it compiles")"
    nothing alignment-double "-malign-double goes through" \
        "$(gcc -m32 -msse2 -mfpmath=sse -malign-double -ffreestanding -Ilib -fsyntax-only "$out/plain.c" 2>/dev/null && echo "it compiles")"
    for machine in "gcc -m32 -msse2 -mfpmath=sse" "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb" "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -fno-short-enums" \
        "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32" "clang --target=powerpc-none-elf" "clang --target=m68k-none-elf" "clang --target=wasm32"; do
        # shellcheck disable=SC2086
        said=$($machine -ffreestanding -Ilib -fsyntax-only "$out/plain.c" 2>&1)
        [[ $said != *"unable to create target"* && $said != *"unknown target"* ]] || continue
        nothing "alignment-of-$(tr -c 'a-z0-9\n' - <<<"$machine")" "the header refuses a machine's own alignment" "$(grep error <<<"$said")"
    done
fi
if wanted short-enums-arm; then # there both are the ABI's: a name says which
    for option in -fshort-enums -fno-short-enums; do
        arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb $option -Ilib -c "$out/uses.c" -o "$out/uses$option.o"
        arm-none-eabi-nm -u "$out/uses$option.o" | long_names >"$out/uses$option.txt"
    done
    nothing short-enums-arm "both sizes of enums have the same names" \
        "$(comm -12 "$out/uses-fshort-enums.txt" "$out/uses-fno-short-enums.txt"; [ -s "$out/uses-fshort-enums.txt" ] || echo none)"
fi
if wanted load; then # a program that was linked with one shared library starts with another one
    mkdir -p "$out/load/one" "$out/load/other"
    cp "$out/libaf.so" "$out/load/one"
    # shellcheck disable=SC2086
    gcc $house_c -DAF_CONTEXT=8 -fPIC -shared lib/*.c -o "$out/load/other/libaf.so" &&
        gcc -Ilib "$out/uses.c" -L"$out/load/one" -laf -o "$out/load/program"
    nothing load "it starts with a library of another configuration" \
        "$(LD_LIBRARY_PATH=$out/load/one "$out/load/program" || echo "not with its own"; LD_LIBRARY_PATH=$out/load/other "$out/load/program" 2>/dev/null && echo started)"
fi

# --------------------------------------------------------------------------------------------------------- constants

# The constants that are made from whole numbers are the decimal ones, 1 - beta too, and count in what is computed.
if group constants; then
    cat >"$out/constants.c" <<'C'
#include "af.h"
#include <stdio.h>
int main(void) {
    af_real p = 1, m = 2, v = 3, mean, rstd, y[AF_DIM] = {0}, x[AF_DIM] = {0}, g[AF_DIM] = {0}, b[AF_DIM] = {0};
    const af_real d = 4, keep = AF_R(1) - AF_R(0.5) * AF_R(0.25);
    const struct af_adamw how = {AF_R(0.5), AF_R(0.25)};
    const af_real m1 = AF_R(2) * AF_R(BETA1) + AF_R(REST1) * d, v1 = AF_R(3) * AF_R(BETA2) + AF_R(REST2) * d * d;
    if (AF_ADAMW_BETA1 != BETA1 || AF_ADAMW_BETA1_REST != REST1 || AF_ADAMW_BETA2 != BETA2 ||
        AF_ADAMW_BETA2_REST != REST2 || AF_ADAMW_EPS != EPS || AF_LAYERNORM_EPS != NORM_EPS) {
        (void)puts("a constant is another one");
    }
    af_adamw_update(&p, &m, &v, &d, how, 1, 1, 1);
    if (m != m1 || v != v1 || p != keep - AF_R(0.5) * (m1 / (af_sqrt(v1) + AF_R(EPS)))) {
        (void)puts("AdamW takes others");
    }
    af_layernorm_forward(y, &mean, &rstd, x, g, b, 1);
    if (rstd != AF_R(1) / af_sqrt(AF_R(NORM_EPS))) {
        (void)puts("layer norm takes another");
    }
    (void)printf("%08lx", (unsigned long)af_config_digest());
    return 0;
}
C
    constants() { # NAME DIGEST BETA1 REST1 BETA2 REST2 EPS NORM_EPS OPTION...
        local name=constants-$1 digest=$2 values="-DBETA1=$3 -DREST1=$4 -DBETA2=$5 -DREST2=$6 -DEPS=$7 -DNORM_EPS=$8" real
        shift 8
        for real in float double; do
            # shellcheck disable=SC2086
            gcc $house_c $values -DAF_REAL=$real "$@" "$out/constants.c" lib/af_{adamw,arena,crc32c,layernorm,map,map_model}.c -o "$out/constants" 2>"$out/constants.log" || head -n 3 "$out/constants.log"
            said=$("$out/constants")
            nothing "$name-$real" "they are not what the settings say" \
                "$([[ $said == "$digest" || ($said =~ ^[0-9a-f]{8}$ && ($digest = any || $real = double) && $said != f484a0d5) ]] || echo "$said")"
        done
    }
    constants default f484a0d5 0.9 0.1 0.999 0.001 1e-8 1e-5
    constants others any 0.95 0.05 0.98 0.02 1e-6 1e-12 -DAF_ADAMW_BETA1_E6=950000 -DAF_ADAMW_BETA2_E6=980000 -DAF_ADAMW_EPS_E12=1000000 -DAF_LAYERNORM_EPS_E12=1
    constants ends any 0.0 1.0 0.999999 0.000001 1e-12 1e-3 -DAF_ADAMW_BETA1_E6=0 -DAF_ADAMW_BETA2_E6=999999 -DAF_ADAMW_EPS_E12=1 -DAF_LAYERNORM_EPS_E12=1000000000
fi

# ------------------------------------------------------------------------------------------------------------- names

if group names; then
    rm -rf "$out/names" && mkdir -p "$out/names"
    for cc in $plain_compilers; do
        # shellcheck disable=SC2086
        (cd "$out/names" && $cc $house_c -I"$OLDPWD/lib" -DAF_PACKED=1 -c "$OLDPWD"/lib/*.c)
        nm --defined-only -g "$out"/names/*.o | awk 'NF == 3 { print $3 }' | sort -u >"$out/defined.txt"
        nm -u "$out"/names/*.o | awk '$1 == "U" { print $2 }' | grep '^af_' | sort -u >"$out/undefined.txt"
        long_names <"$out/defined.txt" >"$out/long.txt"
        nothing "names-$cc" "names without their configuration: add them to lib/af_names.def and lib/af_inner_rename.h" \
            "$(grep -vxFf "$out/long.txt" "$out/defined.txt" | grep -vxFf <(sed 's/_V[0-9]*_T[0-9].*//' "$out/long.txt")
               grep -vxFf "$out/long.txt" "$out/undefined.txt"
               [ "$(wc -l <"$out/long.txt")" -gt 80 ] || echo "only $(wc -l <"$out/long.txt") names")"
        nothing "names-plain-$cc" "names that a debugger does not find (only the tables of tiles have none)" \
            "$(sed 's/_V[0-9]*_T[0-9].*//' "$out/long.txt" | grep -vxFf "$out/defined.txt" | grep -v '^af_kernels_tile')"
    done
    sed -nE 's/^AF_NAME\(\w+, (\w+)\)/\1/p' lib/af_names.def | sort >"$out/rows.txt"
    nothing names-lists "af_names.def, af_inner_rename.h and lib/ have not the same names" \
        "$(diff "$out/rows.txt" <(sed -nE 's/^#define (af_\w+) +AF_RENAMED\(\1\)/\1/p' lib/af_inner_rename.h | sort)
           diff "$out/rows.txt" <({ sed 's/_V[0-9]*_T[0-9].*//' "$out/long.txt"; echo af_kernels_tile_v3; echo af_kernels_tile_v4; } | sort -u))"
    # Compilers without these extensions, and a prefix: macros.
    # shellcheck disable=SC2086
    nothing names-prefix "a prefix leaves names as they are" "$(gcc -Ilib -DAF_PREFIX=small_ -c "$out/uses.c" -o "$out/uses.o" 2>&1
        nm -u "$out/uses.o" | grep 'af_' | grep -v ' small_af_.*_V12_T25_')"
    if command -v tcc >/dev/null; then
        tcc -Ilib -c "$out/uses.c" -o "$out/uses.o" 2>"$out/tcc.log"
        nothing names-tcc "tcc has other names than gcc" "$(nm -u "$out/uses.o" | awk '{ print $2 }' | grep '^af_' | sort |
            grep -vxFf <(nm --defined-only "$out/libaf.a" 2>/dev/null | awk 'NF == 3 { print $3 }'); [ -s "$out/uses.o" ] || cat "$out/tcc.log")"
    fi
fi
if group digits; then
    nothing digits-made "lib/af_inner_digits.h is not what test/vectors/make_digits.py writes" "$(python3 test/vectors/make_digits.py | cmp - lib/af_inner_digits.h 2>&1)"
    found=
    values() { # SUFFIX OPTION...
        local suffix=$1 is
        shift
        is=$(echo '#include "af_config.h"
it_is AF_LONG_NAME(n)' | gcc -Ilib "$@" -E -P - 2>&1 | sed -n 's/^it_is //p')
        [ "$is" = "$suffix" ] || found+="$is, not $suffix"$'\n'
    }
    values n_V2_T1_D1_H1_L1_F1_S00101_M1_W1_P1_K001_A8_U512_X000_f64_E4_C0 -DAF_VOCAB=2 -DAF_CONTEXT=1 -DAF_DIM=1 -DAF_HEADS=1 -DAF_BLOCKS=1 \
        -DAF_FF=1 -DAF_SCALED=0 -DAF_CAUSAL=0 -DAF_RESIDUAL=0 -DAF_POST_NORM=1 -DAF_SOFTMAX_QUERIES=1 -DAF_ALIGN=8 -DAF_TRAINING=0 -DAF_MAP=0 -DAF_STREAMS=0 -DAF_REAL=double
    values n_V65534_T4096_D4096_H64_L64_F16384_S11010_M1_W64_P4096_K100_A4096_U512_X011_f32_E4_C0 -DAF_VOCAB=65534 -DAF_CONTEXT=4096 -DAF_DIM=4096 -DAF_HEADS=64 \
        -DAF_BLOCKS=64 -DAF_FF=16384 -DAF_WORKERS=64 -DAF_DECODE_ROWS=4096 -DAF_PACKED=1 -DAF_PRUNED=0 -DAF_ALIGN=4096 -DAF_TRAINING=0
    values n_V10987_T1000_D100_H10_L20_F10203_S11010_M1024_W1_P999_K021_A64_U512_X110_f32_E4_C0 '-DAF_VOCAB=(11000 - 13)' -DAF_CONTEXT=1000 -DAF_DIM=100 -DAF_HEADS=10 \
        -DAF_BLOCKS=0x14 -DAF_FF=10203 '-DAF_MICRO_BATCH=(1 << 10)' -DAF_DECODE_ROWS=999 -DAF_RECOMPUTE=2 -DAF_STREAMS=0
    # (900000 + 999000 * 999983 + 20000 * 314159265 + 10000000 * 271828182) % 1000000007 + 1
    values n_V12_T25_D64_H2_L2_F256_S11010_M1_W1_P1_K001_A64_U512_X111_f32_E4_C970138060 -DAF_ADAMW_EPS_E12=20000
    nothing digits-values "names say other values" "$found"
fi

# ------------------------------------------------------------------------------------------------- names of others

# A file with macros of other libraries, as they are found on the way to af.h. What is a keyword or a type there is left out.
cat >"$out/others.h" <<'C'
/* Arduino */
#define HIGH 0x1
#define LOW 0x0
#define INPUT 0x0
#define OUTPUT 0x1
#define PI 3.1415926535897932384626433832795
#define HALF_PI 1.5707963267948966192313216916398
#define TWO_PI 6.283185307179586476925286766559
#define DEG_TO_RAD 0.017453292519943295769236907684886
#define RAD_TO_DEG 57.295779513082320876798154814105
#define EULER 2.718281828459045235360287471352
#define SERIAL 0x0
#define DISPLAY 0x1
#define LSBFIRST 0
#define MSBFIRST 1
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define DEFAULT 1
#define EXTERNAL 0
#define INTERNAL 3
#define B0 0
#define B1 1
#define B10 2
#define B11111111 255
#define F(string) (string)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define constrain(x, low, high) ((x) < (low) ? (low) : ((x) > (high) ? (high) : (x)))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))
#define radians(deg) ((deg)*DEG_TO_RAD)
#define degrees(rad) ((rad)*RAD_TO_DEG)
#define sq(x) ((x) * (x))
#define lowByte(w) ((w)&0xff)
#define highByte(w) ((w) >> 8)
#define bitRead(value, bit) (((value) >> (bit)) & 0x01)
#define bitSet(value, bit) ((value) |= (1UL << (bit)))
#define bitClear(value, bit) ((value) &= ~(1UL << (bit)))
#define bit(b) (1UL << (b))
#define _BV(b) (1UL << (b))
#define interrupts() sei()
#define noInterrupts() cli()
#define NOT_A_PIN 0
#define PROGMEM
/* CMSIS and device headers */
#define __I volatile const
#define __O volatile
#define __IO volatile
#define __IM volatile const
#define __OM volatile
#define __IOM volatile
#define __ASM __asm
#define __NOP() (void)0
#define SET 1
#define RESET 0
#define ENABLE 1
#define DISABLE 0
#define READ_BIT(REG, BIT) ((REG) & (BIT))
#define SET_BIT(REG, BIT) ((REG) |= (BIT))
#define UNUSED(x) ((void)(x))
#define POSITION_VAL(v) (v)
#define CRC ((int *)0x40023000)
#define FLASH ((int *)0x40023C00)
#define RNG ((int *)0x50060800)
#define RCC ((int *)0x40023800)
#define GPIOA ((int *)0x40020000)
#define TIM1 ((int *)0x40010000)
#define ADC ((int *)0x40012300)
#define DWT ((int *)0xE0001000)
#define MPU ((int *)0xE000ED90)
/* Zephyr, Linux, BSD, Windows, curses, termios, complex.h, the Unix that gcc defines by itself */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(n) (1UL << (n))
#define BIT_MASK(n) (BIT(n) - 1UL)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v))
#define ROUND_UP(x, align) (x)
#define ROUND_DOWN(x, align) (x)
#define CONTAINER_OF(p, type, field) (p)
#define IS_ENABLED(x) 0
#define KB(x) ((x) << 10)
#define PAGE_SIZE 4096
#define LOG_LEVEL 3
#define I 7
#define small char
#define near
#define far
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define ERROR 0
#define DELETE 0x00010000L
#define TRUE 1
#define FALSE 0
#define ECHO 8
#define NULLABLE
#define major(x) (x)
#define minor(x) (x)
#define unix 1
#define linux 1
#define i386 1
#define DEBUG 1
#define NDEBUG 1
#define VERSION 3
#define REAL double
#define SIZE 5
#define N 4
#define T 25
#define D 64
C
# Names of <sys/socket.h>, <winsock2.h>, the BSDs and macOS, which POSIX gives all of AF_ to.
socket_names="UNSPEC UNIX LOCAL FILE INET INET6 AX25 IPX APPLETALK NETROM BRIDGE ATMPVC X25 ROSE DEC DECnet NETBEUI SECURITY KEY NETLINK ROUTE
    PACKET ASH ECONET ATMSVC RDS SNA IRDA PPPOX WANPIPE LLC IB MPLS CAN TIPC BLUETOOTH IUCV RXRPC ISDN PHONET IEEE802154 CAIF ALG NFC VSOCK KCM
    QIPCRTR SMC XDP MCTP MAX IMPLINK PUP CHAOS NS ISO OSI ECMA DATAKIT CCITT LAT HYLINK VOICEVIEW FIREFOX UNKNOWN1 BAN ATM CLUSTER 12844 NETDES
    TCNPROCESS TCNMESSAGE ICLFXBM BTH LINK HYPERV COIP CNT SIP NDRV PPP SYSTEM UTUN NATM E164 ENCAP ARP SLOW SCLUSTER IEEE80211 INET_SDP
    INET6_SDP MULTIPATH RESERVED_36 OROUTE BPF TRILL NET_MGMT VENDOR00 NETGRAPH NCA POLICY OPTION OS2 TFW TELEPHONY"

if group others; then
    # What our headers define: macros, enumerators, types, functions, members are found as words of the preprocessed text.
    for header in af.h $(cd lib && ls af_inner_*.h | grep -v export); do
        echo "#include \"$header\"" | gcc -Ilib -DAF_PACKED=1 -E -dD -P - 2>/dev/null
    done | grep -oE '\bAF_[A-Za-z0-9_]+' | sort -u >"$out/ours.txt"
    nothing others-socket "names that are those of sockets" "$(for name in $socket_names; do echo "AF_$name"; done | grep -xFf - "$out/ours.txt"
        [ "$(wc -l <"$out/ours.txt")" -gt 200 ] || echo "only $(wc -l <"$out/ours.txt") names were found")"
    cat >"$out/sockets.c" <<'C'
#ifdef FIRST
#include <sys/socket.h>
#endif
#include "af.h"
#include <sys/socket.h>
#if AF_ARENA_BYTES > 2000000000
#error large
#endif
int f(void);
int f(void) { return AF_MAX + AF_INET + AF_ARENA_BYTES; }
C
    for cc in $compilers; do
        case $cc in *++) cc+=" -x c++" ;; *) cc+=" -std=gnu99" ;; esac
        # shellcheck disable=SC2086
        nothing "others-sockets-${cc%% *}" "af.h and <sys/socket.h> do not go together" \
            "$(for first in -DFIRST -DSECOND; do $cc $first -Wall -Wextra -Werror -Ilib -fsyntax-only "$out/sockets.c" 2>&1; done)"
        nothing "others-macros-${cc%% *}" "af.h does not compile behind macros of others" \
            "$($cc -Wall -Wextra -w -Ilib -DAF_PACKED=1 -include stdlib.h -include stddef.h -include stdint.h -include "$out/others.h" -fsyntax-only "$out/uses.c" 2>&1 | grep -E 'error|warning')"
    done
fi

objects() { # FOLDER OPTION...: of all of lib/
    local folder=$1 file
    shift
    mkdir -p "$folder"
    for file in lib/*.c; do
        # shellcheck disable=SC2086
        gcc $house_c -w -DAF_PACKED=1 "$@" -c "$file" -o "$folder/$(basename "$file" .c).o" 2>>"$folder/log" || echo "$file does not compile"
    done
}

differences() { # FOLDER FOLDER
    local file
    for file in "$1"/*.o; do
        cmp -s "$file" "$2/$(basename "$file")" || echo "$(basename "$file") is another one"
    done
}

if group program; then
    rm -rf "$out/as_is" "$out/defined" "$out/others"
    found=$(objects "$out/as_is" -include stddef.h -include stdint.h)
    # Every macro that a file of lib/ defines for itself, with another value; and what such macros would be called without
    # their prefix. A file's own definition comes later and wins, so a macro that reaches it is one that is asked for.
    own=$(cat lib/*.c | sed -nE 's/^ *# *define +(AFI_\w+).*/\1/p' | sort -u)
    for macro in $own; do
        printf '#define %s 77\n#define %s 78\n' "${macro#AFI_}" "$macro"
    done | awk '!seen[$2]++' >"$out/own.h"
    found+=$(objects "$out/defined" -include stddef.h -include stdint.h -include "$out/own.h")
    found+=$(differences "$out/as_is" "$out/defined")
    nothing program-macros "macros of a program change lib/" "$found"
    nothing program-macros-prefix "macros of a file without AFI_ (or AF_, where they are asked for)" \
        "$(grep -nE '^ *# *define +' lib/*.c | grep -vE 'define +AFI?_')"
    nothing program-macros-asked "macros that a file asks for" \
        "$(grep -hE '^ *# *if(ndef|def) ' lib/*.c lib/*.h | awk '{ print $2 }' | sort -u | grep -vE '^__|_H$' |
            grep -vxFf <(settings) | grep -vxE 'AF_CONFIG_HEADER|AF_PREFIX|AF_RENAMED|AF_TILE_TABLE|AF_TILE_VECTOR_BYTES')"
    grep -vE '^#define (REAL|I|N|T|D|small|interface|near|far) ?' "$out/others.h" >"$out/others_c.h"
    found=$(objects "$out/others" -include stddef.h -include stdint.h -include "$out/others_c.h")
    nothing program-others "macros of others change lib/" "$found$(differences "$out/as_is" "$out/others")"
fi

# ------------------------------------------------------------------------------------------------ a header, two models

if group own-header; then
    rm -rf "$out/own" && mkdir -p "$out/own/lib" "$out/own/include"
    cp lib/* "$out/own/lib"
    context() { # OPTION...
        echo '#include "af.h"
it_is AF_CONTEXT' | "$@" -E -P - 2>&1 | sed -n 's/^it_is //p'
    }
    found=
    expect() { # VALUE COMMAND...
        local is
        is=$(context "${@:2}")
        [ "$is" = "$1" ] || found+="${is:-nothing} in place of $1: ${*:2}"$'\n'
    }
    for cc in "gcc -std=c99 -pedantic -Wall -Werror" "clang -std=c99 -pedantic -Wall -Werror" "g++ -x c++ -std=c++11"; do
        rm -f "$out/own/lib/arenaformer_config.h" "$out/own/include/"* "$out/own/arenaformer_config.h"
        # shellcheck disable=SC2086
        {
            expect 25 $cc -I"$out/own/lib" -I"$out/own/include"
            echo '#define AF_CONTEXT 7' >"$out/own/arenaformer_config.h" # beside the folder of the library
            expect 7 $cc -I"$out/own/lib" -I"$out/own/include"
            echo '#define AF_CONTEXT 8' >"$out/own/include/arenaformer_config.h" # on the include path
            expect 8 $cc -I"$out/own/lib" -I"$out/own/include"
            echo '#define AF_CONTEXT 9' >"$out/own/include/named.h" # named: no other one counts
            expect 9 $cc -I"$out/own/lib" -I"$out/own/include" '-DAF_CONFIG_HEADER="named.h"'
            echo '#define AF_CONTEXT 10' >"$out/own/lib/arenaformer_config.h"
            expect 10 $cc -I"$out/own/lib" -I"$out/own/include"
        }
    done
    nothing own-header "a header of the user's is not found" "$found"
fi

if group two-models; then
    models() { # COMPILER: prints what the models say, each alone, then together
        local cc=$1 folder=$out/two which file model
        rm -rf "$folder" && mkdir -p "$folder"/{first,second}
        for which in first second; do
            model="-DMODEL=${which}_model"
            [ $which = first ] || model+=" $small_model -DAF_PREFIX=small_"
            for file in lib/*.c test/two_models.c; do
                # shellcheck disable=SC2086
                $cc $house_c $model -c "$file" -o "$folder/$which/$(basename "$file" .c).o" || return
            done
            # the other one, where a model is alone
            echo "unsigned ${which}_model(void); unsigned ${which}_model(void) { return 1; }" >"$folder/no_$which.c"
        done
        # shellcheck disable=SC2086
        $cc $house_c -DTWO_MODELS_MAIN -c test/two_models.c -o "$folder/main.o" &&
            $cc "$folder/main.o" "$folder/no_second.c" "$folder"/first/*.o -o "$folder/program" && "$folder/program" &&
            $cc "$folder/main.o" "$folder/no_first.c" "$folder"/second/*.o -o "$folder/program" && "$folder/program" &&
            $cc "$folder/main.o" "$folder"/{first,second}/*.o -o "$folder/program" && "$folder/program"
    }
    for cc in $plain_compilers; do
        said=$(models $cc 2>&1)
        read -r first other first_too other_too both_first both_second rest <<<"$(tr '\n' ' ' <<<"$said")"
        if [[ "$both_first $both_second$rest" == "$first $other_too" && $first != "$other_too" && $first =~ ^[0-9a-f]{8}$ && "$other $first_too" == "00000001 00000001" ]]; then
            ok two-models-$cc
        else
            fail two-models-$cc "two models in one program do not train as each does alone: $(head -n 3 <<<"$said" | tr '\n' ';')"
        fi
    done
fi

finish
