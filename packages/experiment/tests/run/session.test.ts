import type { Agent } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, runExperiment, runSession, trialOf } from '../../src/index.js'
import { fileStore, memoryStore } from '../../src/store/index.js'
import { aborted, anExperiment, eventsOf, ofType, temporaryDirectory } from '../run-support.js'

const variants = { baseline: {}, short: { prompt: 'Short: {{task}}' }, big: { model: 'big' } }

/** An experiment with three variants whose agent notes which trial of which variant it was called for. */
function withVariants(options: Partial<ExperimentOptions> = {}) {
  const calls: string[] = []
  const agent: Agent = async (task) => {
    const trial = trialOf(task)
    calls.push(`${trial?.variant} ${trial?.itemId}`)
    return completed(task.prompt)
  }
  const experiment = { ...anExperiment(2, { agent, concurrency: 1, store: memoryStore(), ...options }), variants }
  return { experiment, calls }
}

describe('a session', () => {
  it('runs one variant after the other and keeps them together', async () => {
    const { experiment, calls } = withVariants()
    const run = runSession(experiment, { session: 'monday' })
    const { session, results } = await run.result
    expect(calls).toEqual(['baseline', 'short', 'big'].flatMap((name) => [`${name} item-1`, `${name} item-2`]))
    expect(Object.keys(results)).toEqual(['baseline', 'short', 'big'])
    expect(session).toMatchObject({ session: 'monday', status: 'completed', endedAt: expect.any(String) })
    expect(session.variants).toMatchObject([
      { variant: 'baseline', runId: results.baseline?.id, status: 'completed', passRate: 1, trials: 2 },
      { variant: 'short' },
      { variant: 'big' },
    ])
    expect(results.big).toMatchObject({ session: 'monday', conditions: { model: 'big' } })
    const events = await eventsOf(run)
    expect(ofType(events, 'experiment-end')).toHaveLength(3)
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(3)
  })

  it.each(['memory', 'files'])('needs no name, not even two of one second (%s)', async (kind) => {
    const store = kind === 'memory' ? memoryStore() : fileStore(temporaryDirectory())
    const runs = Array.from({ length: 5 }, () => runSession(withVariants({ store }).experiment, { variants: ['big'] }))
    const sessions = await Promise.all(runs.map(async ({ result }) => (await result).session.session))
    expect(new Set(sessions).size).toBe(5)
    for (const name of sessions) expect(name).toMatch(/^\d{8}-\d{6}(-[2-5])?$/)
    expect(runs.map(({ session }) => session)).toEqual(sessions)
    const again = runSession(withVariants({ store }).experiment, { session: sessions[0] ?? '' })
    await expect(again.result).rejects.toMatchObject({ code: 'name-duplicate' })
  })

  it('may go item by item, so that drift hits all variants alike', async () => {
    const { experiment, calls } = withVariants()
    const { results } = await runSession(experiment, { order: 'item', variants: ['big', 'baseline'] }).result
    expect(calls).toEqual(['big item-1', 'baseline item-1', 'big item-2', 'baseline item-2'])
    expect([results.big?.status, results.baseline?.status, results.short]).toEqual([
      'completed',
      'completed',
      undefined,
    ])
  })

  it('has a name by its instant, and refuses one that is taken', async () => {
    const { experiment } = withVariants()
    const run = runSession(experiment)
    expect(run.session).toMatch(/^\d{8}-\d{6}$/)
    await run.result
    await expect(runSession(experiment, { session: run.session }).result).rejects.toMatchObject({
      code: 'name-duplicate',
    })
  })

  it.each([
    ['continue', ['baseline', 'big']],
    ['stop', ['baseline']],
  ] as const)('with a variant that rejects, and %s', async (onVariantError, ended) => {
    const { experiment } = withVariants()
    const broken = { ...experiment, variants: { ...variants, short: { prompt: '{{metadata.missing}}' } } }
    const run = runSession(broken, { onVariantError })
    const { session, results } = await run.result
    expect(Object.keys(results)).toEqual(ended)
    expect(session.status).toBe('failed')
    expect(session.variants.find(({ variant }) => variant === 'short')?.status).toBe('failed')
    const warnings = ofType(await eventsOf(run), 'warning')
    expect(warnings).toMatchObject([{ code: 'variant-failed', message: expect.stringContaining('missing') }])
  })

  it.each(['variant', 'item'] as const)('that is cancelled goes on where it was (%s)', async (order) => {
    const directory = temporaryDirectory()
    const controller = new AbortController()
    let calls = 0
    const options: ExperimentOptions & { readonly variants: typeof variants } = {
      ...withVariants({ store: directory }).experiment,
      async agent({ signal, prompt }) {
        calls += 1
        if (calls !== 4) return completed(prompt)
        controller.abort()
        await aborted(signal)
        return completed()
      },
    }
    const first = runSession(options, { order, signal: controller.signal })
    const { session } = await first.result
    expect(session.status).toBe('running')
    const again = runSession(options, { order, resume: true })
    const { session: ended, results } = await again.result
    expect(ended).toMatchObject({ session: first.session, status: 'completed' })
    expect(again.session).toBe(first.session)
    expect(Object.values(results).map((result) => result?.passCount)).toEqual([2, 2, 2])
    // 3 had ended, the fourth was cancelled, and the rest of 6 is run.
    expect(calls).toBe(7)
    await using store = fileStore(directory)
    expect((await store.sessions.list('test')).map(({ session: name }) => name)).toEqual([first.session])
  })

  it('goes on with the variants, items and repetitions that it was begun with', async () => {
    const controller = new AbortController()
    const store = memoryStore()
    let isFirst = true
    const { experiment, calls } = withVariants({ store })
    const cut: NonNullable<ExperimentOptions['agent']> = async (task) => {
      if (isFirst) controller.abort()
      if (isFirst) await aborted(task.signal)
      isFirst = false
      return experiment.agent(task)
    }
    Object.defineProperty(cut, 'name', { value: experiment.agent.name })
    const narrow = { ...experiment, agent: cut, repetitions: 2, filter: { id: 'item-2' } }
    const first = await runSession(narrow, { variants: ['big', 'short'], signal: controller.signal }).result
    expect(first.session.status).toBe('running')
    calls.length = 0
    const run = runSession({ ...experiment, repetitions: 3 }, { resume: true })
    const { session, results } = await run.result
    expect(calls).toEqual(['big item-2', 'big item-2', 'short item-2', 'short item-2'])
    expect(Object.keys(results)).toEqual(['big', 'short'])
    expect(session).toMatchObject({ session: first.session.session, status: 'completed' })
    const name = session.session
    const other = runSession(experiment, { session: name, resume: true, variants: ['baseline'] })
    await expect(other.result).rejects.toMatchObject({ code: 'run-mismatch' })
    calls.length = 0
    const wider = runSession(experiment, { session: name, resume: true, widen: true, variants: ['baseline'] })
    await expect(wider.result).resolves.toMatchObject({ session: { status: 'completed' } })
    expect(calls).toEqual(['baseline item-1', 'baseline item-2'])
  })

  it('is refused while a run of it is being written, and says nothing of that run', async () => {
    const store = memoryStore()
    const { experiment, calls } = withVariants({ store })
    const { session, results } = await runSession(experiment, { session: 'monday', variants: ['big'] }).result
    const entry = session.variants[0]
    await store.sessions.put('test', 'monday', { ...entry!, status: 'running' })
    const { writer } = await store.resume(results.big?.id ?? '')
    calls.length = 0
    const again = runSession(experiment, { session: 'monday', resume: true })
    await expect(again.result).rejects.toMatchObject({ code: 'run-locked' })
    expect((await store.sessions.load('test', 'monday'))?.variants).toMatchObject([{ status: 'running' }])
    expect(calls).toEqual([])
    await writer.release()
  })

  it('resumes undecided trials, also in finished variants, on request', async () => {
    let broken = true
    const agent: Agent = async (task) => {
      const trial = trialOf(task)
      if (broken && trial?.itemId === 'item-1' && trial.variant !== 'big')
        throw Object.assign(new Error('the agent is not to be had'), { code: 'ECONNRESET' })
      return completed(task.prompt)
    }
    const { experiment } = withVariants({ agent, retries: { attempts: 1 } })
    const passes = (results: object) => Object.values(results).map(({ passCount }) => passCount)
    const first = await runSession(experiment, { session: 'monday' }).result
    broken = false
    const same = await runSession(experiment, { session: 'monday', resume: true }).result
    expect(passes(same.results)).toEqual(passes(first.results))
    const again = await runSession(experiment, { session: 'monday', resume: true, retryErrors: true }).result
    expect(passes(again.results)).toEqual([2, 2, 2])
    expect(again.results.short?.id).toBe(first.results.short?.id)
    expect(again.session).toMatchObject({ status: 'completed', variants: [{ passRate: 1 }, { passRate: 1 }, {}] })
  })

  it('refuses all bad options in one error', async () => {
    const { experiment } = withVariants()
    const options = { variants: ['shrt', 'big', 'big'], order: 'random', session: '..' } as object
    await expect(runSession(experiment, options).result).rejects.toMatchObject({
      code: 'experiment-invalid',
      details: {
        issues: ['session', 'order', 'variants', 'variants'].map((field) => expect.objectContaining({ field })),
      },
    })
    await expect(runSession(experiment, options).result).rejects.toThrow(/Did you mean "short"/)
    await expect(runSession(anExperiment(1) as never).result).rejects.toThrow(/use runExperiment/)
  })

  it('belongs to its runs, which one may also put into a session by hand', async () => {
    const { experiment } = withVariants()
    const run = runExperiment(experiment, { variant: 'big', session: 'own' })
    expect((await run.result).session).toBe('own')
  })
})
