import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { canonicalJson } from '@jurist/experiment/internal'
import { expect, test } from 'vitest'
import { begin, type Night, night } from './night.js'

interface Entry {
  readonly seq: number
  readonly kind: string
  readonly tree: string
  readonly previous: string | null
  readonly hash: string
}

const logOf = ({ state }: Night) => readFileSync(join(state, 'log.jsonl'), 'utf8')

/** Whole entries, each chained to the one before. A crash may cut off the last line. */
function entriesOf(text: string): readonly Entry[] {
  const entries: Entry[] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  for (const [place, { hash, ...rest }] of entries.entries()) {
    expect([rest.seq, rest.previous]).toEqual([place + 1, entries[place - 1]?.hash ?? null])
    expect(createHash('sha256').update(canonicalJson(rest)).digest('hex')).toBe(hash)
  }
  return entries
}

/** The versions that have trials of hidden items. */
function asked({ state }: Night): readonly string[] {
  const place = join(state, 'store', 'demo')
  return readdirSync(place).flatMap((run) => {
    const file = ['run.json', 'manifest.json', 'result.json'].map((name) => join(place, run, name)).find(existsSync)
    if (file === undefined) return []
    const { ratchet } = JSON.parse(readFileSync(file, 'utf8')).metadata
    return ratchet.part === 'hidden' ? [ratchet.tree] : []
  })
}

/** How many kills at least; more of them are a question of patience. */
const kills = Number(process.env['JURIST_KILLS'] ?? 8)
const fewestLooks = 3

test('kill -9 at random moments loses no look, gives none for free, and breaks nothing', async () => {
  using made = night()
  expect((await made.jurist(...begin.map((word) => (word === '5' ? '1000' : word)))).code).toBe(0)
  let [version, before, seed, lookedAt] = [0, '', 7, 0]
  // Better on one visible item, and on no hidden one.
  const visible = made.plan().parts.visible.map((id) => Number(id.split('-')[1]))
  const learnt = visible.find((n) => n % 8 !== 0)
  const lock = join(made.state, 'lock')
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  /** How long a try that nothing interrupts holds the lock; on a machine that is loaded it is many times as long. */
  let wholeMs = 0
  for (let kill = 0; kill < kills || lookedAt < fewestLooks; kill += 1) {
    // Half of the time the agent goes on with the same version.
    if (random() < 0.5) version += 1
    writeFileSync(join(made.made.directory, 'prompts', 'system.md'), `do a only ${learnt}; ${version}\npause 150\n`)
    const { child, ended } = made.made.startWith({ HOME: made.home }, 'ratchet', 'try', '--json')
    // The start of a process takes a second, in which nothing happens.
    const has = () => existsSync(lock) && readFileSync(lock, 'utf8').includes(`"pid":${child.pid},`)
    while (child.exitCode === null && !has()) await setTimeout(5)
    const beganAt = Date.now()
    if (wholeMs === 0) {
      await ended
      wholeMs = Date.now() - beganAt
    } else await Promise.race([setTimeout(random() * 1.2 * wholeMs), ended])
    child.kill('SIGKILL')
    await ended
    const now = logOf(made)
    expect(now.startsWith(before.slice(0, before.lastIndexOf('\n') + 1))).toBe(true)
    const entries = entriesOf(now)
    const looks = entries.filter(({ kind }) => kind === 'look').map(({ tree }) => tree)
    expect(new Set(looks).size).toBe(looks.length)
    for (const tree of asked(made)) expect([entries[0]?.tree, ...looks]).toContain(tree)
    lookedAt = looks.length
    before = now
  }
  const last = await made.jurist('ratchet', 'try', '--json')
  expect([0, 1]).toContain(last.code)
  const entries = entriesOf(logOf(made))
  const looks = entries.filter(({ kind }) => kind === 'look')
  expect(JSON.parse(last.stdout).looksLeft).toBe(1000 - looks.length)
  // Each look has one answer, those that were left behind included.
  const answered = entries.filter(({ kind }) => kind === 'answer').map(({ tree }) => tree)
  expect([...answered].sort()).toEqual(looks.map(({ tree }) => tree).sort())
  expect((await made.jurist('ratchet', 'report')).stdout).toContain('The log is whole')
})
