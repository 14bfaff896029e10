import { getEventListeners } from 'node:events'
import { correctness } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { expect, test } from 'vitest'
import { type Judge, jury, pass, runJudge } from '../src/index.js'

test('however many judges wait for a signal, it gets one listener', async () => {
  const { signal } = new AbortController()
  let release = () => {}
  const all = new Promise<void>((resolve) => {
    release = resolve
  })
  const waiting: Judge = async () => {
    await all
    return pass('done')
  }
  const judges = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`j${index}`, waiting]))
  const voting = jury({ judges }).vote({ signal })
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  release()
  expect((await voting).aggregated.status).toBe('pass')
  expect(getEventListeners(signal, 'abort'), 'nobody waits any more').toEqual([])
})

test('thirty concurrent calls of a model do not make the runtime warn of a leak', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  const model = scriptedModel(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return 'Answer: YES'
  })
  const { signal } = new AbortController()
  const judge = correctness({ model })
  await Promise.all(Array.from({ length: 30 }, () => runJudge(judge, { goal: 'x', agentOutput: 'y', signal })))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listen)
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})

test('all that wait are stopped, and those that ended before are not', async () => {
  const controller = new AbortController()
  const { signal } = controller
  await runJudge(async () => true, { signal })
  const waiting = [1, 2, 3].map(() => runJudge(() => new Promise<boolean>(() => undefined), { signal }))
  controller.abort(new Error('enough'))
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(['error', 'error', 'error'])
})
