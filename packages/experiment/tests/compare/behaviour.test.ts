import type { JournalEvent, JsonObject, Turn } from '@jurist/core'
import { anItem } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { behaviourOf, behaviourRows, compareBehaviour, type TrialBehaviour } from '../../src/compare/behaviour.js'
import { seededRandom } from '../../src/result/statistics/random.js'

const calls = (...names: readonly string[]): readonly JournalEvent[] =>
  names.flatMap((name, index) => [
    { type: 'tool-call', id: `${index}`, name, input: { path: `${name}.js` } },
    { type: 'tool-result', id: `${index}`, content: 'ok', failed: name === 'broken' },
  ])
const trial = (itemId: string, repetition: number, names: readonly string[], passed: boolean | null = true) => {
  const behaviour = behaviourOf(anItem({ itemId, repetition, passed }), calls(...names))
  if (behaviour === null) throw new Error('a trial has no behaviour')
  return behaviour
}

const [items, repetitions] = [28, 3]

/** A trial of each item. */
const items28 = (eventsOf: (item: number) => readonly JournalEvent[], turns: readonly Turn[] = []) =>
  Array.from({ length: items }, (_, item) => {
    const detail = { kind: 'agent' as const, invocation: { status: 'completed' as const, turns } }
    const behaviour = behaviourOf(anItem({ itemId: `q${item}`, detail }), eventsOf(item))
    if (behaviour === null) throw new Error('a trial has no behaviour')
    return behaviour
  })

/** An agent whose items take different numbers of calls, and whose trials differ by chance. */
const runOf = (
  seed: number,
  change: (names: string[], uniform: () => number) => readonly string[] = (names) => names,
) => {
  const { uniform } = seededRandom(seed)
  const trials: TrialBehaviour[] = []
  for (let item = 0; item < items; item += 1)
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      const names = Array.from({ length: 2 + (item % 5) + Math.floor(uniform() * 4) }, () =>
        uniform() < 0.5 ? 'read' : uniform() < 0.7 ? 'edit' : 'search',
      )
      trials.push(trial(`q${item}`, repetition, change([...names, 'run_tests'], uniform)))
    }
  return trials
}

describe('the behaviour of two runs', () => {
  test('of an agent compared with itself reports more than chance in at most 5 %', () => {
    const turns = 60
    let reported = 0
    for (let turn = 0; turn < turns; turn += 1) {
      const found = compareBehaviour(runOf(2 * turn + 1), runOf(2 * turn + 2))
      const isOrder = (found?.order?.pValue ?? 1) <= 0.05
      if (
        (found?.changed.length ?? 0) > 0 ||
        (found?.added.length ?? 0) > 0 ||
        (found?.gone.length ?? 0) > 0 ||
        isOrder
      )
        reported += 1
    }
    // 5 % of 60 is 3, and 8 are within chance of that (binomial, the 99th percentile).
    expect(reported).toBeLessThanOrEqual(8)
  })

  test('names a tool that half of the trials no longer use', () => {
    let named = 0
    for (let turn = 0; turn < 20; turn += 1) {
      const without = (names: string[], uniform: () => number) =>
        uniform() < 0.5 ? names.filter((name) => name !== 'run_tests') : names
      const found = compareBehaviour(runOf(turn + 1), runOf(turn + 500, without))
      if (found?.changed.some(({ name }) => name === 'calls of run_tests')) named += 1
    }
    expect(named).toBeGreaterThanOrEqual(19)
  })

  test('names tools that are new or gone, and items whose pass rate does not show it', () => {
    const found = compareBehaviour(
      runOf(1),
      runOf(2, (names) => names.map((name) => (name === 'run_tests' ? 'deploy' : name))),
    )
    expect(found?.added).toEqual([{ kind: 'tool', name: 'deploy', baseline: 0, candidate: 84 }])
    expect(found?.gone).toEqual([{ kind: 'tool', name: 'run_tests', baseline: 84, candidate: 0 }])
    expect(found?.alikeButOther).toHaveLength(items)
    expect(found?.alikeButOther[0]).toMatchObject({
      added: expect.arrayContaining(['deploy']),
      gone: expect.arrayContaining(['run_tests']),
    })
    const rows = found === null ? [] : behaviourRows(found)
    expect(rows.map(({ how, what }) => `${how} ${what}`)).toEqual(
      expect.arrayContaining(['new tool deploy', 'gone tool run_tests']),
    )
  })

  test('names arguments of tools that both sides use, whatever the workspace of a trial is called', () => {
    const told = (flag: string, place: string) =>
      items28((item) =>
        Object.entries<JsonObject>({
          bash: { command: `cd ${place}/src && deploy ${flag}` },
          read: { path: `${place}/item-${item}.js`, text: 'x'.repeat(5_000) },
        }).map(([name, input]) => ({ type: 'tool-call', id: name, name, input })),
      )
    const found = compareBehaviour(
      told('--dry-run', '/tmp/jurist-0123abcd-4ui-sm5t-kdNEY7'),
      told('--force', '/tmp/jurist-0123abcd-9zz-sm9t-Ab_-Y7/workspace'),
    )
    expect([found?.added, found?.gone]).toEqual([
      [{ kind: 'argument', name: 'bash command=cd src && deploy --force', baseline: 0, candidate: items }],
      [{ kind: 'argument', name: 'bash command=cd src && deploy --dry-run', baseline: items, candidate: 0 }],
    ])
  })

  test('names items of the same pass rate whose every trial has another argument, those with other tools first', () => {
    const told = (itemId: string, repetition: number, name: string, value: string, passed = true) => {
      const events = [{ type: 'tool-call', id: '1', name, input: { command: value } }] as const
      const found = behaviourOf(anItem({ itemId, repetition, passed }), events)
      if (found === null) throw new Error('a trial has no behaviour')
      return found
    }
    const twice = (itemId: string, name: string, one: string, two = one, passed = true) => [
      told(itemId, 1, name, one, passed),
      told(itemId, 2, name, two, passed),
    ]
    const before = [twice('a', 'bash', 'test --all'), twice('b', 'bash', 'test', 'lint'), twice('c', 'bash', 'x')]
    const after = [twice('a', 'bash', 'test --fast'), twice('b', 'bash', 'test', 'build'), twice('c', 'deploy', 'x')]
    const worse = [twice('d', 'bash', 'one'), twice('d', 'bash', 'two', 'two', false)] as const
    const found = compareBehaviour([...before, worse[0]].flat(), [...after, worse[1]].flat())
    expect(found?.alikeButOther).toEqual([
      { itemId: 'c', added: ['deploy'], gone: ['bash'] },
      { itemId: 'a', added: ['bash command=test --fast'], gone: ['bash command=test --all'] },
    ])
  })

  test('counts the turns of conversations', () => {
    const talks = (turns: number) =>
      items28(
        () => calls('read'),
        Array.from({ length: 2 * turns }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'agent', text: 'Hello' })),
      )
    expect(compareBehaviour(talks(2), talks(5))?.changed).toMatchObject([
      { name: 'turns', baselineMean: 2, candidateMean: 5 },
    ])
  })

  test('with few items and no repetitions, amounts are shown and not tested', () => {
    const found = compareBehaviour([trial('a', 1, ['read'])], [trial('a', 1, ['read', 'read', 'broken'])])
    expect(found?.isTested).toBe(false)
    expect(found?.changed.map(({ name, pValue }) => [name, pValue])).toEqual([
      ['calls of broken', null],
      ['calls of read', null],
      ['failed calls', null],
    ])
    expect(found?.order).toEqual({ distance: 2 / 3, withinBaseline: null, pValue: null })
  })

  test('an item that became another task, and one that only a side has, are not compared', () => {
    const before = [trial('a', 1, ['read']), trial('b', 1, ['read'])]
    const after = [{ ...trial('a', 1, ['deploy']), itemHash: 'other' }, trial('c', 1, ['deploy'])]
    expect(compareBehaviour(before, after)).toBeNull()
  })

  test('a journal without calls says nothing of a trial', () => {
    expect(behaviourOf(anItem(), [{ type: 'text', text: 'hello' }])).toBeNull()
  })
})
