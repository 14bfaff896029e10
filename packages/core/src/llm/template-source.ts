import { failureOf, JuristError } from '../errors.js'
import { builtinModule } from './builtin-module.js'

/** A text with placeholders, taken apart once, so that values are never looked into. */
export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'variable'; readonly name: string; readonly written: string }

const placeholder = /\{\{[ \t]*(?<name>[A-Za-z_][A-Za-z0-9_.-]*)[ \t]*\}\}/g

/** The parts of a template, in order. */
export function partsOf(source: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const found of source.matchAll(placeholder)) {
    parts.push({ type: 'text', text: source.slice(end, found.index) })
    parts.push({ type: 'variable', name: found.groups?.['name'] ?? '', written: found[0] })
    end = found.index + found[0].length
  }
  return [...parts, { type: 'text', text: source.slice(end) }]
}

/** The text of a template: as given, or read from a file, where there are files. */
export function templateText(template: string, source: string | { readonly file: string }): string {
  if (typeof source === 'string') return source
  try {
    return readTextFile(source.file)
  } catch (thrown) {
    throw templateInvalid(template, [`${source?.file} cannot be read: ${failureOf(thrown).message}`], { cause: thrown })
  }
}

function readTextFile(path: string): string {
  const files = builtinModule('node:fs')
  if (files === undefined) throw new Error('there are no files here; give the text itself')
  return files.readFileSync(path, 'utf8')
}

/** The error for a template that cannot work, naming every problem. */
export function templateInvalid(
  template: string,
  problems: readonly string[],
  { variable, cause }: { readonly variable?: string | undefined; readonly cause?: unknown } = {},
): JuristError<'template-invalid'> {
  const details = variable === undefined ? { template } : { template, variable }
  return new JuristError('template-invalid', `Template ${JSON.stringify(template)}: ${problems.join('; ')}.`, details, {
    cause,
  })
}
