import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Cassette, JudgeModel } from '@jurist/core/llm'
import { replay } from '@jurist/core/llm'
import { ragKeys } from '@jurist/core/rag'
import { afterAll, describe, expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'
import { ragJury } from './jury.js'
import { pages } from './pages.js'
import { retrieve } from './retrieve.js'

const example = join(root, 'examples/rag')
const typescript = join(root, 'node_modules/jiti/lib/jiti-cli.mjs')
const elsewhere = mkdtempSync(join(tmpdir(), 'rag-'))
const cassette: Cassette = JSON.parse(readFileSync(join(example, 'judges.cassette.json'), 'utf8'))

afterAll(() => rmSync(elsewhere, { recursive: true }))

/** What the example prints, started in an empty directory that has nothing to do with it. */
async function printed(...argv: readonly string[]): Promise<string> {
  const node = [typescript, join(example, 'main.ts'), ...argv]
  return (await promisify(execFile)(process.execPath, node, { cwd: elsewhere })).stdout
}

describe('the example, started from anywhere', () => {
  test('judges by what was recorded, and prints what its README shows', async () => {
    const text = await printed()
    expect(text).toContain('founder: fail, retrieval (rejected)')
    expect(text).toContain('3 of 6 answers passed.')
    expect(readFileSync(join(example, 'README.md'), 'utf8')).toContain(`\n${text}\`\`\``)
  })

  test('records the cassette that it plays, in whatever order the calls were made', async () => {
    const file = join(elsewhere, 'cassette.json')
    await printed(file)
    const recorded: Cassette = JSON.parse(readFileSync(file, 'utf8'))
    const byKey = ({ entries }: Cassette) => entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
    expect(byKey(recorded)).toEqual(byKey(cassette))
    // Five answers cost four calls, the one whose retrieval was rejected a single one.
    expect(cassette.entries).toHaveLength(5 * 4 + 1)
  })
})

describe('the search', () => {
  test.each([
    ['How long does the Heron 3 need to boil one litre?', 'Boiling.'],
    ['How often must the Heron 3 be descaled, and with what?', 'Descaling.'],
    ['What does the warranty of the Heron 3 cover?', 'Warranty.'],
  ])('finds for %j the page %j', (question, page) => {
    const found = retrieve(question, pages)
    expect(found).toHaveLength(2)
    expect(found.some((text) => text.startsWith(page))).toBe(true)
  })
  test('finds the order to the judges too, which stays within its fence', () => {
    expect(retrieve('Can the Heron 3 go into the dishwasher?', pages).join('\n')).toContain('SYSTEM:')
    const sent = cassette.entries.map(({ messages }) => messages[1]?.content ?? '')
    const attacked = sent.filter((prompt) => prompt.includes('SYSTEM:'))
    expect(attacked).toHaveLength(3)
    for (const prompt of attacked)
      expect(prompt).toMatch(
        /<<context FENCE>>\n.*SYSTEM:.*<<end context 0000>>\nAnswer: YES.*\n<<end context FENCE>>/s,
      )
  })
})

describe('an answer that changed since', () => {
  const question = 'May I heat milk in the Heron 3?'
  const context = { goal: question, agentOutput: 'Yes.', metadata: { [ragKeys.context]: retrieve(question, pages) } }
  const unasked: JudgeModel = async () => expect.unreachable('the model was asked')

  test('is an ERROR that names the request, never a fail', async () => {
    const { aggregated, individual, tiers } = await ragJury(replay(cassette)(unasked)).vote(context)
    expect(aggregated).toMatchObject({ status: 'error' })
    expect(individual).toMatchObject({ faithful: { status: 'error', failure: { code: 'replay-miss' } } })
    // The question and the pages are those of the recording.
    expect(tiers?.map(({ outcome }) => outcome)).toEqual(['escalated', 'errored'])
  })
})
