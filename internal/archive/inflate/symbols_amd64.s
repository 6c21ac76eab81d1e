//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The loop of decodeGo, with what Go's compiler does not do:
//
//   - One BEXTR by an entry and the bits it belongs to gives the next index, and a
//     symbol waits for the one before it for five cycles: a load of four, and this.
//     Masks and shifts take six.
//   - All stays in registers.
//   - Matches are copied by 32 bytes.
//
// Instructions that count bits by a register take its low 6 (SHRX, SHLX) or 8 bits
// (BZHI, BEXTR), so that an entry serves as it is: table.go has its form.

#define BITS R8    // of the input, the next one lowest
#define N R9       // how many of them count, in the low byte
#define IN R10     // the next byte of the input
#define INEND BX
#define OUT R11    // where the next byte is written
#define OUTEND SI
#define LIT R12    // codes.lit, with codes.dist after it
#define ENTRY AX   // of the literal or length in hand
#define DIST R13   // the entry of a distance; where the match is
#define END R14    // of the match
#define INDEX DX   // of the next entry
#define EXTRA CX   // the bits of a symbol, then its extra bits
#define T DI

// REFILL takes bits of 8 bytes, as many as there is room for: 56 to 63 count then, and
// all 64 equal the input.
#define REFILL \
	SHLXQ N, (IN), T \
	ORQ   T, BITS    \
	MOVL  N, T       \
	SHRL  $3, T      \
	ANDL  $7, T      \
	ADDQ  $7, IN     \
	SUBQ  T, IN      \
	ORL   $56, N

// TAKE uses the bits of ENTRY.
#define TAKE \
	BEXTRQ ENTRY, BITS, INDEX \
	MOVQ   BITS, EXTRA        \
	SHRXQ  ENTRY, BITS, BITS  \
	SUBL   ENTRY, N           \
	TESTL  ENTRY, ENTRY

// WRITE writes the literal of ENTRY, after looking up the next entry.
#define WRITE \
	MOVL (LIT)(INDEX*4), T        \
	SHRL $const_entryValue, ENTRY \
	MOVB ENTRY, (OUT)             \
	INCQ OUT                      \
	MOVL T, ENTRY

// func decodeAssembly(r *Reader, c *codes, inEnd uint) stop
TEXT ·decodeAssembly(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), OUT
	MOVQ c+8(FP), LIT
	LEAQ (Reader_input+input_in)(OUT), IN
	MOVQ inEnd+16(FP), INEND
	ADDQ IN, INEND
	ADDQ (Reader_input+input_ip)(OUT), IN
	MOVQ (Reader_input+input_bits)(OUT), BITS
	MOVQ (Reader_input+input_nbits)(OUT), N
	LEAQ (Reader_out+const_pieceEnd)(OUT), OUTEND
	MOVQ Reader_op(OUT), T
	LEAQ Reader_out(OUT)(T*1), OUT
	REFILL
	MOVL BITS, INDEX
	ANDL $((1<<const_litBits)-1), INDEX
	MOVL (LIT)(INDEX*4), ENTRY
	JMP  loop

last:
	WRITE
	REFILL

	PCALIGN $64

loop:
	CMPQ IN, INEND
	JHI  room
	CMPQ OUT, OUTEND
	JCC  room

	// Three literals of at most 11 bits, a symbol of at most 20 and the index of a
	// distance are 61 bits.
	TAKE
	JPL nonliteral
	WRITE
	TAKE
	JPL nonliteral
	WRITE
	TAKE
	JPL nonliteral
	WRITE
	TAKE
	JMI last

nonliteral:
	TESTL $const_entryException, ENTRY
	JNE   exception

length:
	MOVL  codes_dist(LIT)(INDEX*4), DIST
	BZHIQ ENTRY, EXTRA, EXTRA
	MOVL  ENTRY, T
	SHRL  $const_entryCode, T
	SHRXQ T, EXTRA, EXTRA
	SHRL  $const_entryValue, ENTRY
	LEAQ  const_minMatch(OUT)(ENTRY*1), END
	ADDQ  EXTRA, END
	REFILL
	TESTL $const_entryException, DIST
	JNE   distanceException

distance:
	BEXTRQ DIST, BITS, INDEX
	BZHIQ  DIST, BITS, EXTRA
	SHRXQ  DIST, BITS, BITS
	SUBL   DIST, N
	MOVL   (LIT)(INDEX*4), ENTRY

	// The bits of the least distance are above the bits of the code and the extra bits;
	// the bits of the code go.
	MOVL  DIST, T
	SHRL  $const_entryValue, T
	SHLXQ DIST, T, T
	ORQ   T, EXTRA
	SHRL  $const_entryCode, DIST
	SHRXQ DIST, EXTRA, EXTRA // the distance, less 1
	MOVQ  EXTRA, DIST
	NOTQ  DIST
	ADDQ  OUT, DIST
	CMPQ  DIST, r+0(FP)      // where Reader.out is
	JCS   beyond
	REFILL

	CMPQ    EXTRA, $31
	JCS     below32
	VMOVDQU (DIST), Y0
	VMOVDQU Y0, (OUT)
	VMOVDQU 32(DIST), Y0
	VMOVDQU Y0, 32(OUT)
	ADDQ    $64, OUT
	CMPQ    OUT, END
	JCC     copied
	ADDQ    $64, DIST

copy32:
	VMOVDQU (DIST), Y0
	VMOVDQU Y0, (OUT)
	ADDQ    $32, DIST
	ADDQ    $32, OUT
	CMPQ    OUT, END
	JCS     copy32

copied:
	MOVQ END, OUT
	JMP  loop

below32:
	CMPQ EXTRA, $15
	JCS  below16

copy16:
	VMOVDQU (DIST), X0
	VMOVDQU X0, (OUT)
	ADDQ    $16, DIST
	ADDQ    $16, OUT
	CMPQ    OUT, END
	JCS     copy16
	MOVQ    END, OUT
	JMP     loop

below16:
	CMPQ EXTRA, $7
	JCS  below8

copy8:
	MOVQ (DIST), T
	MOVQ T, (OUT)
	ADDQ $8, DIST
	ADDQ $8, OUT
	CMPQ OUT, END
	JCS  copy8
	MOVQ END, OUT
	JMP  loop

below8: // as in repeat
	MOVQ  (DIST), T
	INCL  EXTRA
	SHLL  $3, EXTRA
	BZHIQ EXTRA, T, T
	LEAQ  ·patterns(SB), DIST
	LEAQ  (DIST)(EXTRA*2), DIST
	IMULQ (DIST), T             // factor
	MOVQ  8(DIST), DIST         // step

copyWord:
	MOVQ T, (OUT)
	ADDQ DIST, OUT
	CMPQ OUT, END
	JCS  copyWord
	MOVQ END, OUT
	JMP  loop

exception:
	TESTL $const_entryLink, ENTRY
	JEQ   noSymbol
	SHRL  $const_entryPlace, ENTRY
	ADDL  ENTRY, INDEX
	ANDL  $(const_litSize-1), INDEX
	MOVL  (LIT)(INDEX*4), ENTRY
	TAKE
	JMI   last
	TESTL $const_entryException, ENTRY
	JEQ   length

noSymbol:
	TESTL $const_entryEnd, ENTRY
	JEQ   unused
	MOVL  $const_stopBlock, AX
	JMP   done

distanceException:
	TESTL  $const_entryLink, DIST
	JEQ    unusedDistance
	BEXTRQ DIST, BITS, INDEX
	SHRXQ  DIST, BITS, BITS
	SUBL   DIST, N
	SHRL   $const_entryPlace, DIST
	ADDL   DIST, INDEX
	ANDL   $(const_distSize-1), INDEX
	MOVL   codes_dist(LIT)(INDEX*4), DIST
	TESTL  $const_entryException, DIST
	JEQ    distance

unusedDistance:
	SHRXQ DIST, BITS, BITS
	SUBL  DIST, N

unused:
	MOVL $const_stopUnused, AX
	JMP  done

beyond:
	MOVL $const_stopBeyond, AX
	JMP  done

room:
	MOVL $const_stopRoom, AX

done:
	VZEROUPPER
	MOVQ    r+0(FP), DX
	LEAQ    (Reader_input+input_in)(DX), T
	SUBQ    T, IN
	MOVQ    IN, (Reader_input+input_ip)(DX)
	LEAQ    Reader_out(DX), T
	SUBQ    T, OUT
	MOVQ    OUT, Reader_op(DX)
	MOVBLZX N, N
	BZHIQ   N, BITS, BITS
	MOVQ    BITS, (Reader_input+input_bits)(DX)
	MOVQ    N, (Reader_input+input_nbits)(DX)
	MOVQ    AX, ret+24(FP)
	RET
