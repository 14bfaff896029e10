const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What XML 1.0 cannot hold: most control characters, halves of surrogate pairs, two noncharacters. */
const forbidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A text as the content of an HTML or XML element; what XML cannot hold becomes `�`. */
export function markup(text: string): string {
  return text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** A text as the value of an attribute in quotes; line breaks and tabs stay what they are. */
export function attribute(text: string): string {
  return markup(text).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
