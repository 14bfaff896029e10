import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'

const run = promisify(execFile)
const command = join(root, 'packages/jurist/dist/command/main.js')
const directory = join(root, 'examples/hidden-tests')
const guide = readFileSync(join(root, 'docs/guide/hidden-tests.md'), 'utf8')
const results = mkdtempSync(join(tmpdir(), 'jurist-hidden-tests-'))

afterAll(() => rmSync(results, { recursive: true, force: true }))

/** What the command prints as JSON in the directory of the example, or of a copy. */
async function jurist(...words: readonly string[]) {
  return juristIn(directory, words)
}

async function juristIn(cwd: string, words: readonly string[]) {
  const all = [command, '--json', '--quiet', '--results', results, ...words]
  // With holes the exit code is not 0.
  const { stdout } = await run(process.execPath, all, { cwd }).catch((thrown: { readonly stdout: string }) => thrown)
  return JSON.parse(stdout)
}

interface Trial {
  readonly itemId: string
  readonly passed: boolean
  readonly scores: { readonly [judge: string]: number }
}

test('the guide shows the files of the example, word for word', () => {
  for (const file of ['dataset/dataset.json', 'dataset/items/range/item.json', 'agents.mjs', 'jurist.config.yaml'])
    expect(guide).toContain(`\n${readFileSync(join(directory, file), 'utf8').trim()}\n\`\`\``)
})

test('hidden tests reject the agent that knows the visible ones by heart, and the one that empties them', async () => {
  const { results: runs } = await jurist('run', '--item', 'range')
  const outcomes = await Promise.all(
    runs.map(async ({ id, variant }: { readonly id: string; readonly variant: string }) => {
      const { items } = (await jurist('show', id)) as { readonly items: readonly Trial[] }
      const counts = items.map(({ passed, scores }) => [passed, scores['testsPass.npm'], scores['item/hidden']])
      return [variant, counts]
    }),
  )
  expect(Object.fromEntries(outcomes)).toEqual({
    careful: [[true, 1, 1]],
    memorizes: [[false, 1, 0.5]],
    edits: [[false, 0, 0.25]],
  })
})

interface Hole {
  readonly probe: string
}

test('vetting names the cheats that get through without isolation and canaries', async () => {
  const copy = join(results, 'open')
  cpSync(directory, copy, { recursive: true })
  const place = join(copy, 'dataset/items/range/item.json')
  const item = JSON.parse(readFileSync(place, 'utf8'))
  const { isolate, ...hidden } = item.judges.hidden
  writeFileSync(place, JSON.stringify({ ...item, judges: { hidden: { ...hidden, canaries: false } } }))
  const open = await juristIn(copy, ['vet', '--quick', '--item', 'range'])
  expect(open.conclusion).not.toBe('sound')
  expect(open.probes.holes.map(({ probe }: Hole) => probe).toSorted()).toEqual(['forged-events', 'read-the-tests'])
  expect(await jurist('vet', '--quick', '--item', 'range')).toMatchObject({
    conclusion: 'sound',
    probes: { holes: [] },
  })
})
