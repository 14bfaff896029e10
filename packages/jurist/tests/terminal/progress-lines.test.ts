import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { progressLines } from '../../src/terminal/progress-view.js'
import type { Terminal } from '../../src/terminal/terminal.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const at = '2026-11-26T00:00:00.000Z'
const place = { at, runId: 'r', experimentName: 'e', variant: null }

function shown() {
  const said: string[] = []
  const view = progressLines({ err: (text: string) => void said.push(text) } as Terminal, { runs: 1, verbose: false })
  const after = async (ms: number): Promise<string> => {
    await vi.advanceTimersByTimeAsync(ms)
    return said.splice(0).join('')
  }
  return { ...view, after }
}

test('a minute without a line says what goes on: the preparation first, then how many trials run', async () => {
  const view = shown()
  expect(await view.after(59_000)).toBe('')
  expect(await view.after(6_000)).toBe('Still preparing the run\n')
  view.show({ type: 'experiment-start', kind: 'agent', trials: 2, resumed: 0, ...place })
  view.show({ type: 'item-start', at, runId: 'r', itemId: 'a', repetition: 1, attempt: 1 })
  expect(await view.after(0)).toBe('e run r: 2 trials\n')
  expect(await view.after(65_000)).toBe('[0/2] 1 trial running\n')
  view.stop()
  expect(await view.after(600_000)).toBe('')
})
