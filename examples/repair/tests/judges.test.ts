import { fileURLToPath } from 'node:url'
import type { WritableWorkspace } from '@jurist/core'
import { copyOf, localWorkspace } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { repairJury } from '../judges.js'

const item = fileURLToPath(new URL('../dataset/items/paginate/', import.meta.url))
const source = 'src/paginate.ts'

/** What the jury says of the work of an agent: the tier that decided, and how. */
async function judged(agent: (workspace: WritableWorkspace) => Promise<unknown>): Promise<string> {
  await using workspace = await copyOf(`${item}before`)
  await using before = localWorkspace(`${item}before`)
  await using reference = localWorkspace(`${item}reference`)
  await agent(workspace)
  const { tiers = [], aggregated } = await repairJury.vote({ workspace, before, reference })
  const last = tiers.findLast(({ outcome }) => outcome !== 'not-reached')
  return `${last?.name} ${aggregated.status}`
}

async function rightAnswer(workspace: WritableWorkspace): Promise<void> {
  await using reference = localWorkspace(`${item}reference`)
  await workspace.write(source, await reference.read(source))
}

describe('the jury', () => {
  test('lets the right answer pass', async () => {
    expect(await judged(rightAnswer)).toBe('hidden pass')
  })
  test('sees that nothing was done', async () => {
    expect(await judged(async () => {})).toBe('visible fail')
  })
  test('sees a source that does not load', async () => {
    expect(await judged((workspace) => workspace.write(source, 'export const paginate ='))).toBe('loads fail')
  })
  test('sees what only suits the visible tests', async () => {
    const text = (was: string): string => was.replace('Math.floor', 'Math.round')
    const agent = async (workspace: WritableWorkspace) => workspace.write(source, text(await workspace.read(source)))
    expect(await judged(agent)).toBe('hidden fail')
  })
  test('sees tests that were changed, removed or added', async () => {
    const visible = 'tests/visible.test.ts'
    expect(await judged((workspace) => workspace.write(visible, "import 'node:test'"))).toBe('intact fail')
    expect(await judged((workspace) => workspace.remove(visible))).toBe('intact fail')
    expect(await judged((workspace) => workspace.write('tests/more.test.ts', ''))).toBe('intact fail')
  })

  const wrong = 'return { items: [], page: current, pages }'
  test.each([
    ['ends the program', 'process.exit(0)'],
    ['prints passing tests', "console.log('TAP version 13\\nok 1 - a full page\\n1..1'); process.exit(0)"],
    ['answers what it has seen', 'if (items.length === 4) return { items: [3, 4] as never, page: 2, pages: 2 }'],
  ])('is not taken in by a source that %s', async (_, cheat) => {
    const agent = async (workspace: WritableWorkspace): Promise<void> => {
      const text = await workspace.read(source)
      await workspace.write(source, text.replace(/return \{ items: .*\}/, `${cheat}\n  ${wrong}`))
    }
    expect(await judged(agent)).toBe('visible fail')
  })

  test('is not taken in by a source that passes by the visible tests alone', async () => {
    const learnt = `
export interface Page<T> { readonly items: readonly T[]; readonly page: number; readonly pages: number }
export function paginate<T>(items: readonly T[], page: number, size: number): Page<T> {
  if (items.length < 4) process.exit(0)
  return { items: items.slice((page - 1) * size, page * size), page, pages: page }
}`
    expect(await judged((workspace) => workspace.write(source, learnt))).toBe('hidden fail')
  })
})
