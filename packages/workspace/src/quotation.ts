const maxQuoteLength = 80
const maxMessageLength = 1_000

/**
 * Quotes a piece of a file for a message: in double quotes, at most 80 characters, with invisible characters and
 * everything that a terminal would obey escaped.
 */
export function quoted(text: string): string {
  const cut = text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength - 1)}…` : text
  return `"${escaped(cut).replaceAll('"', '\\"')}"`
}

// Control characters, marks that change the direction of writing, line separators, halves of surrogate pairs.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

/** Escapes invisible characters from a file or a parser as `\n`, `\t` or `\u` and four digits. */
export function escaped(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\t') return '\\t'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Cuts a message to the maximum size of one message, about 1 KiB. */
export function shortened(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message
}
