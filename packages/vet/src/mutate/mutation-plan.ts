import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentTask, Workspace } from '@jurist/core'
import type { Dataset, DatasetItem, ExperimentOptions } from '@jurist/experiment'
import { lookAtItems } from '../derived-experiment.js'
import { type References, solutionIn } from '../reference-agent.js'
import {
  type ChosenVariant,
  type ChosenVariants,
  chooseVariants,
  hiddenTests,
  intendedFile,
  type VariantMark,
  visibleTexts,
} from '../variants/choose-variants.js'
import { triedDemands } from '../variants/failed-trials.js'
import type { TriedDemand } from '../variants/hidden-demand.js'
import { type HiddenDemands, hiddenDemands } from '../variants/hidden-demands.js'
import { type LabelledRun, type LabelledTrial, labelledTrials } from '../variants/labelled-trials.js'
import {
  type ChoiceRules,
  type ChosenMutant,
  type ChosenMutants,
  chooseMutants,
  type ReferenceFile,
} from './choose-mutants.js'
import { languageOfSource } from './language/languages.js'
import { type MutantMark, marksFile, marksIn, readSource } from './mutants.js'

/** A solution that a person wrote into a directory of the item. */
interface OwnSolution {
  readonly name: string
  /** Files that are laid over; `null`: there are none. */
  readonly directory: string | null
  /** The answer; `null`: the right one. */
  readonly answer: string | null
}

/**
 * One trial of an item: its reference, a wrong or right solution of a person, a stored trial that people labelled right,
 * a mutant, or a variant.
 */
export type MutationStep =
  | { readonly kind: 'reference' }
  | ({ readonly kind: 'solution' } & OwnSolution)
  | ({ readonly kind: 'right' } & OwnSolution)
  | ({ readonly kind: 'labelled' } & LabelledTrial)
  | { readonly kind: 'mutant'; readonly mutant: ChosenMutant }
  | { readonly kind: 'variant'; readonly variant: ChosenVariant }

/**
 * The steps of an item. The index of a step, counted from 1, is its repetition. If the reference runs, it is the first
 * step.
 */
export interface MutationPlan {
  readonly steps: readonly MutationStep[]
  readonly counts: Omit<ChosenMutants, 'chosen'>
  /** The numbers of variants; `null` without `variants`. */
  readonly variants:
    | (Omit<ChosenVariants, 'chosen'> &
        Pick<HiddenDemands, 'notChecked'> & { readonly demands: readonly TriedDemand[] })
    | null
  /** The mutated sources, by path. */
  readonly sources: ReadonlyMap<string, string>
  /** The reasons why files of the reference cannot be mutated. */
  readonly problems: readonly string[]
}

/** Whether the plan contains anything besides the reference. */
export function hasMutants({ steps }: MutationPlan): boolean {
  return steps.some(({ kind }) => kind !== 'reference')
}

export interface PlanParts {
  readonly experiment: ExperimentOptions
  readonly dataset: Dataset
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly references: References
  readonly rules: ChoiceRules
  /** Whether right solutions in other forms are judged, too. */
  readonly variants: boolean
  /** Runs whose trials people labelled. */
  readonly labelled: readonly LabelledRun[]
  readonly signal: AbortSignal | undefined
}

/** Plans the items by inspecting their workspaces. Nothing is judged or stored. */
export async function planMutants(parts: PlanParts): Promise<ReadonlyMap<string, MutationPlan>> {
  const { experiment, dataset, items, references, rules, signal } = parts
  const intended = new Map<string, readonly VariantMark[]>()
  const plans = new Map<string, MutationPlan>()
  // Marks are read first: an error in them ends the run, and does not count as a failed workspace.
  const marks = new Map<string, readonly MutantMark[]>()
  for (const [id, item] of items) {
    const directory = directoryOf(dataset, item)
    marks.set(id, await marksIn(directory, marksFile, 'equivalent', ['path', 'before', 'after']))
    if (parts.variants)
      intended.set(id, await marksIn(directory, intendedFile, 'intended', ['kind', 'path', 'before', 'after']))
  }
  await lookAtItems({ experiment, dataset, references, signal }, async ({ itemId, task, reference }) => {
    const item = items.get(itemId)
    const directory = directoryOf(dataset, item)
    const { files, data, problems } = await mutableFiles(task, reference, experiment.vet?.solution)
    const { chosen, ...counts } = await chooseMutants(itemId, files, marks.get(itemId) ?? [], rules)
    const solutions = await ownSolutions(directory, 'wrong')
    const mutants = chosen.map((mutant) => ({ kind: 'mutant' as const, mutant }))
    const visible = parts.variants && item !== undefined ? await visibleTexts(item, task) : null
    const variants =
      visible === null
        ? null
        : await chooseVariants(itemId, files, { data, visible, marks: intended.get(itemId) ?? [] }, rules)
    const demands =
      visible === null || reference === null
        ? noDemands
        : await hiddenDemands(await hiddenTests(reference, task), visible)
    const tried = item === undefined ? [] : await triedDemands(demands.demands, item, parts.labelled, task.signal)
    const right = visible === null ? [] : await ownSolutions(directory, 'right')
    plans.set(itemId, {
      // Without a reference, a wrong solution is judged by itself.
      steps: [
        ...(item?.reference === null ? [] : [{ kind: 'reference' as const }]),
        ...solutions.map((one) => ({ kind: 'solution' as const, ...one })),
        ...mutants,
        ...right.map((one) => ({ kind: 'right' as const, ...one })),
        ...(visible === null || item === undefined ? [] : labelledTrials(item, parts.labelled, rules.perItem)).map(
          (one) => ({ kind: 'labelled' as const, ...one }),
        ),
        ...(variants?.chosen ?? []).map((variant) => ({ kind: 'variant' as const, variant })),
      ],
      counts,
      variants: variants && {
        made: variants.made,
        said: variants.said,
        accepted: variants.accepted,
        ...demands,
        demands: tried,
      },
      sources: new Map([...data, ...files.map(({ read }) => [read.path, read.source] as const)]),
      problems,
    })
  })
  // Items are inspected concurrently, so the order of the dataset is restored.
  return new Map([...items.keys()].flatMap((id) => (plans.has(id) ? [[id, plans.get(id) as MutationPlan]] : [])))
}

function directoryOf({ directory }: Dataset, item: DatasetItem | undefined): string | null {
  const path = item?.path ?? null
  return directory === null || path === null ? null : join(directory, path)
}

const noDemands: HiddenDemands = { demands: [], notChecked: [] }

/** Directories with installed or generated files. */
const made = /(?:^|\/)(?:node_modules|\.git|dist|build|target|\.venv|venv|__pycache__|vendor)\//
const mostBytes = 500_000
/** Files that a solution writes for people or other programs, in which a final line end has no meaning. */
const dataFile = /\.(?:txt|csv|tsv|jsonl?|md|out|log)$/i

/** Returns the sources of a reference that differ from those of the workspace, and its files of data by path. */
async function mutableFiles(
  { workspace, signal }: AgentTask,
  reference: Workspace | null,
  globs: readonly string[] | undefined,
) {
  const files: ReferenceFile[] = []
  const data = new Map<string, string>()
  const problems: string[] = []
  const solution = reference === null ? [] : (await solutionIn(reference, globs, signal)).files
  for (const path of solution) {
    const isData = dataFile.test(path)
    if (made.test(path) || !(isData || languageOfSource(path) !== undefined)) continue
    const source = (await textOf(reference, path)) ?? ''
    const before = await textOf(workspace, path)
    if (source === before || source.length > mostBytes) continue
    if (isData) {
      data.set(path, source)
      continue
    }
    const read = await readSource(source, path)
    if ('problem' in read) problems.push(`${path}: ${read.problem}`)
    else files.push({ read, before })
  }
  return { files: files.sort((a, b) => (a.read.path < b.read.path ? -1 : 1)), data, problems }
}

/** `null` if the file does not exist or is not text. */
async function textOf(workspace: Workspace | null, path: string): Promise<string | null> {
  if (workspace === null || !(await workspace.exists(path).catch(() => false))) return null
  return workspace.read(path).catch(() => null)
}

/** Reads the solutions of people in a directory of the item. */
async function ownSolutions(directory: string | null, kind: 'wrong' | 'right'): Promise<readonly OwnSolution[]> {
  if (directory === null) return []
  const place = join(directory, kind)
  const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
  const directories = new Set(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])))
  const answers = new Set(
    entries.flatMap(({ name }) => (name.endsWith(answerEnding) ? [name.slice(0, -answerEnding.length)] : [])),
  )
  return Promise.all(
    [...new Set([...directories, ...answers])].sort().map(async (name) => ({
      name,
      directory: directories.has(name) ? join(place, name) : null,
      answer: answers.has(name) ? await readFile(join(place, `${name}${answerEnding}`), 'utf8') : null,
    })),
  )
}

/** `wrong/NAME.txt` holds an answer, `wrong/NAME/` files. */
const answerEnding = '.txt'
