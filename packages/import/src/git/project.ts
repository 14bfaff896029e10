import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { type Document, parseDocument } from 'yaml'
import { datasetFile, type ImportedProject, itemDirectory, writeFiles } from '../new-project.js'
import type { ImportChoices, LeftOut } from './candidates.js'

/** The state of an imported project, as stored in `dataset.json`. */
export interface ImportedState {
  readonly name: string
  /** The location of the history, without user names and passwords. */
  readonly repository: string
  /** The items, newest first. */
  readonly items: readonly { readonly id: string; readonly commit: string }[]
  /** Commits without an item, with the reason. */
  readonly leftOut: Readonly<Record<string, LeftOut>>
  readonly choices: ImportChoices
}

/** Writes `dataset.json`. Proposed items are disabled there, so that no run includes them. */
export async function saveState(
  root: string,
  { name, repository, items, leftOut, choices }: ImportedState,
  proposed: readonly string[] = [],
): Promise<void> {
  const listed = [...items, ...proposed.map((id) => ({ id, isDisabled: true }))]
  const metadata = { source: { repository }, choices, leftOut }
  await writeFiles(root, { 'dataset/dataset.json': datasetFile(name, listed, metadata) })
}

const stateSchema = v.object({
  name: v.string(),
  items: v.array(v.object({ id: v.string(), status: v.optional(v.string()) })),
  metadata: v.object({
    source: v.object({ repository: v.string() }),
    leftOut: v.custom<ImportedState['leftOut']>(isPlainObject),
    choices: v.optional(v.custom<ImportChoices>(isPlainObject), {}),
  }),
})

const itemSchema = v.object({ metadata: v.object({ source: v.object({ commit: v.string() }) }) })

/** Reads the state that `saveState` wrote; `undefined` if the file does not exist. */
export async function readState(root: string): Promise<ImportedState | undefined> {
  const read = async (file: string) => parseOrUndefined(await readFile(file, 'utf8').catch(() => ''))
  const state = v.safeParse(stateSchema, await read(join(root, 'dataset', 'dataset.json')))
  if (!state.success) return undefined
  const { name, items, metadata } = state.output
  const enabled = items.filter(({ status }) => status !== 'disabled')
  const made = await Promise.all(
    enabled.map(async ({ id }) => {
      const found = v.safeParse(itemSchema, await read(join(itemDirectory(root, id), 'item.json')))
      return { id, commit: found.success ? found.output.metadata.source.commit : '' }
    }),
  )
  return {
    name,
    repository: metadata.source.repository,
    items: made,
    leftOut: metadata.leftOut,
    choices: metadata.choices,
  }
}

/** Changes setup, sandbox and tests in the config of a project. The rest stays, comments included. */
export async function rewriteProject(
  root: string,
  { sandbox, setup, done }: Pick<ImportedProject, 'sandbox' | 'setup' | 'done'>,
): Promise<void> {
  const file = join(root, 'jurist.config.yaml')
  const document: Document = parseDocument(await readFile(file, 'utf8'))
  const [experiment] = Object.keys((document.toJS() as { readonly experiments?: object } | null)?.experiments ?? {})
  if (experiment === undefined) return
  const set = (path: readonly string[], value: unknown) =>
    value === undefined ? document.deleteIn(path) : document.setIn(path, document.createNode(value, { flow: true }))
  set(['experiments', experiment, 'sandbox'], sandbox ?? 'none')
  set(['experiments', experiment, 'setup'], setup)
  set(['juries', 'done'], done)
  await writeFile(file, document.toString({ lineWidth: 0 }))
}
