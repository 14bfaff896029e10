import type { AgentTask, Workspace } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment'
import { isTestFile } from '@jurist/kit/code-languages'
import { lineDiff } from '@jurist/kit/text-diff'
import { type ReferenceFile, seededTurns } from '../mutate/choose-mutants.js'
import { isMarked, lineFinder, type MutantMark } from '../mutate/mutants.js'
import { textsIn } from '../reference-agent.js'
import { dataVariants, isWordIn, type Variant, type VariantKind, varied } from './variant.js'

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

/** The files, texts and marks beside the sources that decide which variants are chosen. */
export interface VariantContext {
  /** The files of data of the reference, by path. */
  readonly data: ReadonlyMap<string, string>
  readonly visible: VisibleTexts
  readonly marks: readonly VariantMark[]
}

/** Chooses variants of the files of a reference. Kinds take turns in an order that depends on the seed. */
export async function chooseVariants(
  itemId: string,
  files: readonly ReferenceFile[],
  { data, visible, marks }: VariantContext,
  { perItem, seed }: VariantRules,
): Promise<ChosenVariants> {
  const isUsed = (path: string) => (name: string) =>
    [...visible.files].some(([other, text]) => other !== path && isWordIn(text, name)) ||
    files.some(({ read }) => read.path !== path && isWordIn(read.source, name))
  const sources = await Promise.all(
    files.map(async ({ read }) => {
      const { path, source } = read
      return { path, source, made: await variantsOf(read, isUsed(path)), isNew: differing(read) }
    }),
  )
  const texts = [...data].map(([path, source]) => {
    return { path, source, made: dataVariants(source), isNew: async () => true }
  })
  const all = [...sources, ...texts].flatMap(({ made, ...file }) => {
    const lineOf = lineFinder(file.source)
    return made.map((variant) => ({
      variant: { ...variant, path: file.path, line: lineOf(variant.edits[0]?.start ?? 0) },
      file,
    }))
  })
  const keyOf = ({ variant: { path, line, what } }: (typeof all)[number]) => `${path} ${line} ${what}`
  const [chosen, left]: [ChosenVariant[], { said: number; accepted: number }] = [[], { said: 0, accepted: 0 }]
  for (const { file, variant } of seededTurns(all, `${seed} ${itemId}`, (one) => one.variant.kind, keyOf)) {
    if (chosen.length >= perItem) break
    if (isSaid(variant, visible)) left.said += 1
    else if (isMarked(variantMark(variant, file.source), marks)) left.accepted += 1
    else if (await file.isNew(variant)) chosen.push(variant)
  }
  return { chosen, made: all.length, ...left }
}

async function variantsOf(
  { source, path, language }: ReferenceFile['read'],
  isUsed: (name: string) => boolean,
): Promise<readonly Variant[]> {
  if (isMinified(source)) return []
  switch (language.name) {
    case 'javascript':
      return (await import('./script-variants.js')).scriptVariants(source, path, isUsed)
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
  if (kind === 'order-keys') return texts.some((text) => saysOrder(text, words))
  if (topics[kind]?.some((topic) => isWordIn(task.toLowerCase(), topic))) return true
  return words.some((word) => word.length > 2 && texts.some((text) => isWordIn(text, word)))
}

/** Whether a text states the order of two keys: it names them one after the other, as an example does, or mentions an order. */
function saysOrder(text: string, [first = '', second = '']: readonly string[]): boolean {
  const [one, other] = [first, second].map((key) => `["'\`]?${key.replaceAll(/\W/g, '\\$&')}["'\`]?`)
  return new RegExp(
    `${one}\\s*(?:,|:[^{}\\n]{0,200},)\\s*${other}|\\border of (?:its |the )?(?:keys|fields)|\\bkey order\\b|\\b(?:this|that) order\\b`,
  ).test(text)
}

/** Words of a task that speaks about a form, so that tests may demand it. */
const topics: { readonly [kind in VariantKind]?: readonly string[] } = {
  layout: list(
    'indentation,indent,indented,spaces,tabs,quotes,quoted,format,formatting,formatted,layout,whitespace,style',
  ),
  comments: list('comment,comments,commented,docstring,documentation,documented'),
  'order-declarations': list('alphabetical,alphabetically,order of functions,order of methods,function order'),
  'order-imports': list('import,imports,imported,isort'),
  'equal-algorithm': list('once,twice,call,calls,called,stop,stops,at most,lazily,short-circuit'),
  'file-form': list('newline,newlines,line break,line feed,line end,trailing,end of the file,end of file,bytes'),
}

function list(words: string): readonly string[] {
  return words.split(',')
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

/** The name of the file in an item's directory that contains the variants that its tests mean to fail. */
export const intendedFile = 'variants.lock.json'

const installed = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|__pycache__|target|vendor)\//

/** Reads what agents see of an item: its task with its input, and the text files of its workspace. */
export async function visibleTexts(
  { task, input, tags, referenceData }: Pick<DatasetItem, 'task' | 'input' | 'tags' | 'referenceData'>,
  { workspace, signal, prompt }: Pick<AgentTask, 'workspace' | 'signal' | 'prompt'>,
): Promise<VisibleTexts> {
  const all = [...(await textsIn(workspace, signal, (path) => !installed.test(path)))]
  const said = [task, prompt, JSON.stringify(input ?? ''), ...tags, ...referenceData]
  return {
    task: said.join('\n'),
    tests: all.flatMap(([path, text]) => (isTestFile(path) ? [text] : [])),
    files: new Map(all.filter(([path]) => !isTestFile(path))),
  }
}

/** The tests of a reference that agents do not see, by path. */
export async function hiddenTests(
  reference: Workspace,
  { workspace, signal }: Pick<AgentTask, 'workspace' | 'signal'>,
): Promise<ReadonlyMap<string, string>> {
  const isTest = (path: string) => isTestFile(path) && !installed.test(path)
  const seen = await textsIn(workspace, signal, isTest)
  return new Map([...(await textsIn(reference, signal, isTest))].filter(([path, text]) => seen.get(path) !== text))
}
