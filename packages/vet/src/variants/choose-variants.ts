import { arrayOf, hasFields, option } from '@jurist/core/internal'
import { lineDiff } from '@jurist/kit/text-diff'
import { type ReferenceFile, seededTurns } from '../mutate/choose-mutants.js'
import { lockIn, type MutantMark } from '../mutate/mutant-marks.js'
import { lineFinder } from '../mutate/mutants.js'
import { isWordIn, type Variant, type VariantKind, varied } from './variant.js'

/** A variant of an item. */
export interface ChosenVariant extends Variant {
  readonly path: string
  /** The line of its first change, counted from 1. */
  readonly line: number
}

/** The variants of an item, with the numbers of those that were left out. */
export interface ChosenVariants {
  readonly chosen: readonly ChosenVariant[]
  readonly made: number
  /** The number that was left out because the task, or a file that agents see, says the old form. */
  readonly said: number
  /** The number that was left out because a person marked them as intended. */
  readonly accepted: number
}

/** The texts that agents read: the task with its input, the tests that they see, and the other files. */
export interface VisibleTexts {
  readonly task: string
  readonly tests: readonly string[]
  readonly files: ReadonlyMap<string, string>
}

/** A variant that a person settled: the tests mean to fail it. */
export interface VariantMark extends MutantMark {
  readonly kind: string
}

export interface VariantRules {
  readonly perItem: number
  readonly seed: number
}

/** Chooses variants of the files of a reference. Kinds take turns in an order that depends on the seed. */
export async function chooseVariants(
  itemId: string,
  files: readonly ReferenceFile[],
  { visible, marks }: { readonly visible: VisibleTexts; readonly marks: readonly VariantMark[] },
  { perItem, seed }: VariantRules,
): Promise<ChosenVariants> {
  const isUsed = (path: string) => (name: string) =>
    [...visible.files].some(([other, text]) => other !== path && isWordIn(text, name)) ||
    files.some(({ read }) => read.path !== path && isWordIn(read.source, name))
  const found = await Promise.all(
    files.map(async (file) => [file, await variantsOf(file, isUsed(file.read.path))] as const),
  )
  const all = found.flatMap(([{ read }, variants]) => {
    const lineOf = lineFinder(read.source)
    return variants.map((variant) => ({
      ...variant,
      path: read.path,
      line: lineOf(variant.edits[0]?.start ?? 0),
      read,
    }))
  })
  const keyOf = ({ path, line, what }: ChosenVariant) => `${path} ${line} ${what}`
  const isNew = new Map(files.map(({ read }) => [read.path, differing(read)]))
  const [chosen, left]: [ChosenVariant[], { said: number; accepted: number }] = [[], { said: 0, accepted: 0 }]
  for (const { read, ...variant } of seededTurns(all, `${seed} ${itemId}`, ({ kind }) => kind, keyOf)) {
    if (chosen.length >= perItem) break
    if (isSaid(variant, visible)) left.said += 1
    else if (isMarked(variantMark(variant, read.source), marks)) left.accepted += 1
    else if ((await isNew.get(read.path)?.(variant)) === true) chosen.push(variant)
  }
  return { chosen, made: all.length, ...left }
}

async function variantsOf({ read }: ReferenceFile, isUsed: (name: string) => boolean): Promise<readonly Variant[]> {
  const { source, path, language } = read
  if (isMinified(source)) return []
  switch (language.name) {
    case 'javascript':
      return (await import('./script-variants.js')).scriptVariants(source, path)
    case 'python':
      return (await import('./grammar-variants.js')).pythonVariants(source, isUsed)
    case 'java':
      return (await import('./grammar-variants.js')).javaVariants(source)
    default:
      return []
  }
}

/** Generated code has lines that people do not write. */
function isMinified(source: string): boolean {
  return source.split('\n').some((line) => line.length > 1_000)
}

/** Whether agents read the old form: then a test may demand it. Local names of files are seen by no test. */
function isSaid({ kind, words }: Variant, { task, tests, files }: VisibleTexts): boolean {
  const texts = [task, ...tests, ...(ownNames.has(kind) ? [] : files.values())]
  return words.some((word) => word.length > 2 && texts.some((text) => isWordIn(text, word)))
}

const ownNames: ReadonlySet<VariantKind> = new Set(['rename-local', 'inline', 'layout', 'comments', 'loop-form'])

/** Creates a function that returns whether a variant parses, differs from all earlier ones, and keeps what it must keep. */
function differing({
  source,
  path,
  language,
  normalForm,
}: ReferenceFile['read']): (variant: Variant) => Promise<boolean> {
  const seen = new Set([source])
  const form = normalForm.replaceAll('"', "'")
  return async (variant) => {
    const text = varied(source, variant)
    const read = await language.read(text, path)
    if ('problem' in read || seen.has(text)) return false
    seen.add(text)
    const isLayout = variant.kind === 'layout' || variant.kind === 'comments'
    return !isLayout || read.normalForm.replaceAll('"', "'") === form
  }
}

/** The first lines that a variant changes: with its kind and its file, they identify it even if other lines move. */
export function variantMark({ kind, path, ...variant }: ChosenVariant, source: string): VariantMark {
  const lines = changedLines(source, { ...variant, kind, path })
  const first = (sign: string) =>
    lines
      .find((line) => line.startsWith(sign))
      ?.slice(2)
      .trim() ?? ''
  return { kind, path, before: first('- '), after: first('+ ') }
}

/** The lines that a variant removes and adds, each with its sign. */
export function changedLines(source: string, variant: ChosenVariant): readonly string[] {
  return lineDiff(source.split('\n'), varied(source, variant).split('\n')).flatMap(({ kind, text }) =>
    kind === 'same' ? [] : [`${kind === 'added' ? '+' : '-'} ${text}`],
  )
}

function isMarked(mark: VariantMark, marks: readonly VariantMark[]): boolean {
  return marks.some(
    ({ kind, path, before, after }) =>
      kind === mark.kind && path === mark.path && before === mark.before && after === mark.after,
  )
}

/** The name of the file in an item's directory that contains the variants that its tests mean to fail. */
export const intendedFile = 'variants.lock.json'

const { string } = option
const mark = { kind: string, path: string, before: string, after: string, reason: string }
const rules = { intended: arrayOf('an array of marks', { holds: (value: unknown) => hasFields(value, mark) }) }

/**
 * Reads the marks in the directory of an item: `{ "intended": [{ "kind", "path", "before", "after", "reason" }] }`.
 *
 * @throws `option-invalid` with the file and the problem
 */
export async function readIntended(directory: string | null): Promise<readonly VariantMark[]> {
  const form = '{ "intended": [{ "kind": …, "path": …, "before": …, "after": …, "reason": … }] }'
  const read = await lockIn<{ readonly intended: readonly VariantMark[] }>(directory, intendedFile, rules, form)
  return read?.intended ?? []
}
