import { plainLine } from './terminal.js'

/**
 * A text as plain words inside a paragraph, a list or a table of Markdown: on one line, nothing in it is a link, a mention,
 * a tag, emphasis or the end of a cell.
 */
export function markdownText(text: string, longest = 400): string {
  return shortened(plainLine(text), longest)
    .replace(/[\\`*_[\]|~]|\$(?!\d)/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/:(?=\/\/)/g, '\\:')
    .replace(/\b(www|mailto|xmpp)(?=[.:])/gi, '$1\\')
    .replace(/@(?=\w)/g, '@&#8203;')
    .replace(/^(?=[#=+-]([#=+\s-]|$))/, '\\')
    .replace(/^(\d+)(?=[.)](\s|$))/, '$1\\')
}

/** A text cut to so many characters, `…` in place of what is left out. */
export function shortened(text: string, longest: number): string {
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}
