import type { AgentTask, Workspace } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment'
import { isTestFile } from '@jurist/kit/code-languages'
import type { VisibleTexts } from './choose-variants.js'

const mostBytes = 500_000
/** In characters, over all files. */
const most = 10_000_000
const installed = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|__pycache__|target|vendor)\//

/** Reads what agents see of an item: its task with its input, and the text files of its workspace. */
export async function visibleTexts(
  { task, input, tags, referenceData }: Pick<DatasetItem, 'task' | 'input' | 'tags' | 'referenceData'>,
  { workspace, signal, prompt }: Pick<AgentTask, 'workspace' | 'signal' | 'prompt'>,
): Promise<VisibleTexts> {
  const files = new Map<string, string>()
  const tests: string[] = []
  let left = most
  for await (const { path, type } of workspace.list({ signal })) {
    if (type !== 'file' || installed.test(path) || left <= 0) continue
    const text = await workspace.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    if (text === undefined) continue
    left -= text.length
    if (isTestFile(path)) tests.push(text)
    else files.set(path, text)
  }
  const said = [task, prompt, JSON.stringify(input ?? ''), ...tags, ...referenceData]
  return { task: said.join('\n'), tests, files }
}

/** The tests of a reference that agents do not see, by path. */
export async function hiddenTests(
  reference: Workspace,
  { workspace, signal }: Pick<AgentTask, 'workspace' | 'signal'>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for await (const { path, type } of reference.list({ signal })) {
    if (type !== 'file' || !isTestFile(path) || installed.test(path)) continue
    const text = await reference.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    const seen = (await workspace.exists(path))
      ? await workspace.read(path, { maxBytes: mostBytes }).catch(() => null)
      : null
    if (text !== undefined && text !== seen) found.set(path, text)
  }
  return found
}
