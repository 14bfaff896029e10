import { examplesOf } from '../../../tests/structure/public-names.js'

/** A doc comment in its parts. */
export interface DocParts {
  /** Markdown. */
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly text: string }[]
  readonly returns?: string
  readonly throws: readonly string[]
  readonly examples: readonly string[]
}

/** Takes a doc comment apart by its tags. */
export function partsOf(doc: string): DocParts {
  const [description = '', ...tags] = doc.split(/^@/m)
  const textsOf = (tag: string) =>
    tags.filter((text) => new RegExp(`^${tag}\\b`).test(text)).map((text) => text.slice(tag.length).trim())
  const [returns] = textsOf('returns')
  return {
    description: description.trim(),
    parameters: textsOf('param').map((text) => {
      const [, name = '', rest = ''] = /^(\S+)\s*(?:- )?([\s\S]*)$/.exec(text) ?? []
      return { name, text: rest }
    }),
    ...(returns !== undefined && { returns }),
    throws: textsOf('throws'),
    examples: examplesOf(doc),
  }
}

/** The first sentence of a description, for a list. */
export function firstSentence(description: string): string {
  const [paragraph = ''] = description.split('\n\n')
  const line = paragraph.replaceAll('\n', ' ')
  return /^.*?[^.]\.(?= [A-Z`]|$)/.exec(line)?.[0] ?? line
}
