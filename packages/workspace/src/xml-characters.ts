const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu
const reference = /&#(?:x([\da-fA-F]{1,20})|(\d{1,20}));/g
/** The end of a piece within a reference or a character. */
const begun = /(?:&#?[\da-fA-Fx]{0,21}|[\ud800-\udbff])$/

/**
 * Replaces the characters that XML 1.0 forbids, raw or as references, by U+FFFD. Reporters copy the output of tests,
 * such as colors, and a report with such a character is still read.
 */
export function withoutForbidden(text: string): string {
  return text.replace(forbidden, '\ufffd').replace(reference, (whole, hex?: string, digits?: string) => {
    const code = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
    return code <= 0x10_ff_ff && !isCharacter(code) ? '\ufffd' : whole
  })
}

function isCharacter(code: number): boolean {
  return (
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code < 0xd8_00) ||
    (code >= 0xe0_00 && code !== 0xff_fe && code !== 0xff_ff)
  )
}

/**
 * Does the same for a document in pieces: the end of a piece is held back if it may continue in the next one. Without a
 * piece, it returns the rest.
 */
export function piecesWithoutForbidden(): (piece?: string) => string {
  let held = ''
  return (piece) => {
    const text = held + (piece ?? '')
    held = piece === undefined ? '' : (begun.exec(text)?.[0] ?? '')
    return withoutForbidden(held === '' ? text : text.slice(0, -held.length))
  }
}
