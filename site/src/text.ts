/** Text for an element or an attribute. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** What a reader sees of HTML that this build made: without tags, in one line. */
export function visibleText(html: string): string {
  return html
    .replace(/<\/?(?:a|b|code|em|mark|span|strong)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|amp|#39|#x27);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

const entities: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#x27': "'" }

/** The ids of one page, made of headings as code hosts make them, so that links to them work in both places. */
export function headingIds(): (text: string) => string {
  const taken = new Map<string, number>()
  return (text) => {
    const id = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = taken.get(id) ?? 0
    taken.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
}
