import { safeLine } from '@jurist/kit/terminal'

/**
 * A text as plain words inside a paragraph, a list or a table of Markdown: on one line, nothing in it is a link, a mention,
 * a tag, emphasis or the end of a cell.
 */
export function markdownText(text: string, longest = 400): string {
  return shortened(safeLine(text), longest)
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

/** A string shortened to a number of characters, with `…` for the omitted part. */
export function shortened(text: string, longest: number): string {
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that XML 1.0 does not allow: most control characters, halves of surrogate pairs, two noncharacters. */
const forbidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Escapes a string as the content of an HTML or XML element. Characters that XML does not allow become `�`. */
export function markup(text: string): string {
  return text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Escapes a string as the value of an attribute in quotes, and keeps line breaks and tabs. */
export function attribute(text: string): string {
  return markup(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A text as the message of a GitHub workflow command: it cannot end its line. */
export function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** A text as a property of a GitHub workflow command: it cannot end the property either. */
export function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
