import { recordVerdict, tracedAgent, tracedJudge, tracedJury, tracedModel } from '@jurist/bridges/otel'
import {
  type Agent,
  abstain,
  categorical,
  error,
  fail,
  infoOf,
  type Judge,
  jury,
  pass,
  runJudge,
  scored,
} from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import { type JudgeModel, userRequest } from '@jurist/core/llm'
import { memoryWorkspace } from '@jurist/core/testing'
import { type Span, SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'

/** A real tracer whose ended spans can be looked at. */
function recorder() {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('test')
  const spans = () => exporter.getFinishedSpans()
  const named = (name: string): ReadableSpan => {
    const found = spans().find((span) => span.name === name)
    if (found === undefined) throw new Error(`no span ${name} among ${spans().map((span) => span.name)}`)
    return found
  }
  const events = (name: string) => named(name).events.map(({ attributes }) => attributes)
  return { tracer, spans, named, events }
}

const broken = {
  startSpan() {
    throw new Error('the tracer is broken')
  },
}

describe('tracedJudge', () => {
  test.each<[string, Judge, object]>([
    ['pass', () => pass('right'), { label: 'pass', value: 1 }],
    ['fail', () => fail('wrong', { score: 0.25 }), { label: 'fail', value: 0.25 }],
    ['true', () => true, { label: 'pass', value: 1 }],
    ['abstain', async () => abstain('nothing'), { label: 'abstain' }],
    [
      'a category',
      () => scored(categorical('good', ['good', 'bad'], { scale: { good: 0.8, bad: 0 } }), { passingAt: 0.5 }),
      { label: 'good', value: 0.8 },
    ],
    ['error', () => error('broke', new TypeError('x')), { label: 'error' }],
  ])('%s becomes an event', async (_name, judge, { label, value }: { label?: string; value?: number }) => {
    const { tracer, events, named } = recorder()
    await runJudge(tracedJudge(judge, 'readme', { tracer }), {})
    const [event = {}] = events('jurist.judge readme')
    expect(event['gen_ai.evaluation.name']).toBe('readme')
    expect(event['gen_ai.evaluation.score.label']).toBe(label)
    expect(event['gen_ai.evaluation.score.value']).toBe(value)
    expect(named('jurist.judge readme').status.code).toBe(
      label === 'error' ? SpanStatusCode.ERROR : SpanStatusCode.UNSET,
    )
  })

  test('the answer and the info are the same, also of a judge that throws', async () => {
    const { tracer, named } = recorder()
    const judgment = pass('right')
    expect(await tracedJudge(() => judgment, 'a', { tracer })({} as never)).toBe(judgment)
    const throwing: Judge = () => {
      throw new TypeError('no')
    }
    await expect(tracedJudge(throwing, 'b', { tracer })({} as never)).rejects.toThrow(TypeError)
    expect(named('jurist.judge b').events[0]?.attributes?.['error.type']).toBe('TypeError')
    expect(infoOf(tracedJudge(throwing, 'b', { tracer }))).toEqual(infoOf(throwing))
  })

  test('events go to the span of the run, which is not ended', async () => {
    const { tracer, spans } = recorder()
    const run: Span = tracer.startSpan('run')
    const traced = tracedJudge(() => true, 'readme', { tracer, parentOf: () => run })
    await runJudge(traced, {})
    expect(run.isRecording()).toBe(true)
    run.end()
    const ended = spans().find(({ name }) => name === 'run')
    expect(ended?.events).toHaveLength(1)
    const child = spans().find(({ name }) => name === 'jurist.judge readme')
    expect(child?.parentSpanContext?.spanId).toBe(run.spanContext().spanId)
  })

  test('the response is named where the event is on a separate span', async () => {
    const { tracer, events } = recorder()
    await runJudge(
      tracedJudge(() => true, 'a', { tracer }),
      {
        metadata: { bridge: 'openai', 'openai.responseId': 'resp-1' },
      },
    )
    expect(events('jurist.judge a')[0]?.['gen_ai.response.id']).toBe('resp-1')
  })

  test('reasons stay here when they must, and are cut', async () => {
    const { tracer, events } = recorder()
    const long: Judge = () => fail('x'.repeat(5_000))
    await runJudge(tracedJudge(long, 'silent', { tracer, content: 'none' }), {})
    expect(events('jurist.judge silent')[0]).not.toHaveProperty('gen_ai.evaluation.explanation')
    await runJudge(tracedJudge(long, 'loud', { tracer }), {})
    expect(String(events('jurist.judge loud')[0]?.['gen_ai.evaluation.explanation'])).toHaveLength(2_000)
  })
})

describe('tracedJury', () => {
  const rules = () => jury({ judges: { readme: () => true, build: () => fail('broken build') } })

  test('the vote is a span, every judgment an event; it stays a jury', async () => {
    const { tracer, named, events } = recorder()
    const plain = rules()
    const traced = tracedJury(plain, 'rules', { tracer })
    const verdict = await traced.vote({})
    expect(verdict.aggregated.status).toBe('fail')
    expect([isJury(traced), traced.parts, infoOf(traced)]).toEqual([true, plain.parts, infoOf(plain)])
    expect(named('jurist.vote rules').attributes).toMatchObject({
      'jurist.aggregation.status': 'fail',
      'jurist.aggregation.judges': 2,
    })
    expect(events('jurist.vote rules').map((event) => event?.['gen_ai.evaluation.name'])).toEqual([
      'rules',
      'readme',
      'build',
    ])
  })

  test('it is traced as a judge and as a seat too', async () => {
    const { tracer, spans } = recorder()
    const traced = tracedJury(rules(), 'rules', { tracer })
    expect((await runJudge(traced, {})).status).toBe('fail')
    await jury({ judges: { rules: traced } }).vote({})
    expect(spans().filter(({ name }) => name === 'jurist.vote rules')).toHaveLength(2)
  })

  test('a verdict that is there already', async () => {
    const { tracer, spans, events } = recorder()
    const verdict = await rules().vote({})
    recordVerdict(verdict, { tracer, responseId: 'resp-1' })
    expect(events('jurist.verdict').map((event) => event?.['gen_ai.response.id'])).toEqual([
      'resp-1',
      'resp-1',
      'resp-1',
    ])
    const span = tracer.startSpan('run')
    recordVerdict(verdict, { tracer, span })
    span.end()
    expect(spans().find(({ name }) => name === 'run')?.events).toHaveLength(3)
  })
})

describe('tracedModel', () => {
  const model: JudgeModel = async () => ({
    text: 'yes',
    model: 'm-1',
    usage: { inputTokens: 9, outputTokens: 1, cacheReadTokens: 4, reasoningTokens: 0 },
    metadata: { 'openai.responseId': 'resp-1', finishReason: 'stop' },
  })

  test('what was asked and answered, messages only in full', async () => {
    const { tracer, named } = recorder()
    const request = userRequest('Is it?', { model: 'm', temperature: 0, maxTokens: 5, seed: 7 })
    const response = await tracedModel(model, { tracer })(request)
    expect(response.text).toBe('yes')
    expect(named('chat m').attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.request.temperature': 0,
      'gen_ai.request.max_tokens': 5,
      'gen_ai.request.seed': 7,
      'gen_ai.response.model': 'm-1',
      'gen_ai.response.id': 'resp-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 1,
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 0,
    })
    await tracedModel(model, { tracer, content: 'full' })(userRequest('Is it?'))
    expect(named('chat').attributes['gen_ai.input.messages']).toContain('Is it?')
  })

  test('a model that rejects rejects all the same, its span has status 2 and is ended', async () => {
    const { tracer, named } = recorder()
    const failing: JudgeModel = () => Promise.reject(Object.assign(new Error('busy'), { code: 'model-http' }))
    await expect(tracedModel(failing, { tracer })(userRequest('x'))).rejects.toThrow('busy')
    expect(named('chat').status).toEqual({ code: 2, message: 'busy' })
    expect(named('chat').attributes['error.type']).toBe('model-http')
  })
})

describe('tracedAgent', () => {
  const task = { prompt: 'x', workspace: memoryWorkspace({}), signal: new AbortController().signal }
  const agent: Agent = () => ({
    status: 'completed',
    sessionId: 's-1',
    usage: { inputTokens: 3, outputTokens: 2 },
    metadata: {
      bridge: 'acp',
      'acp.toolExecutions': [
        { id: 't-1', name: 'edit', step: 0, input: { path: 'a.txt' }, output: 'done', status: 'completed' },
        { id: 't-2', name: 'run', step: 1, input: {}, status: 'failed' },
      ],
    },
  })

  test('a run is a span with a child for each tool', async () => {
    const { tracer, named } = recorder()
    await tracedAgent(agent, 'claude', { tracer })(task)
    const span = named('invoke_agent claude')
    expect(span.attributes).toMatchObject({ 'gen_ai.conversation.id': 's-1', 'gen_ai.usage.input_tokens': 3 })
    const edit = named('execute_tool edit')
    expect(edit.parentSpanContext?.spanId).toBe(span.spanContext().spanId)
    expect(edit.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'edit',
      'gen_ai.tool.call.id': 't-1',
    })
    expect(named('execute_tool run').status.code).toBe(SpanStatusCode.ERROR)
  })

  test('arguments and results in full', async () => {
    const { tracer, named } = recorder()
    await tracedAgent(agent, 'claude', { tracer, content: 'full' })(task)
    expect(named('execute_tool edit').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"path":"a.txt"}',
      'gen_ai.tool.call.result': '"done"',
    })
  })

  test('tools of an agent without a bridge come from its phases', async () => {
    const { tracer, named } = recorder()
    const toolUses = [{ id: 'a', name: 'bash', input: {} }]
    const toolResults = [{ toolUseId: 'a', content: 'ok', failed: false }]
    const plain: Agent = () => ({ status: 'completed', phases: [{ name: 'run', toolUses, toolResults }] }) as never
    await tracedAgent(plain, 'plain', { tracer })(task)
    expect(named('execute_tool bash').attributes['gen_ai.tool.call.id']).toBe('a')
  })

  test('an agent that ends badly, or throws, is status 2', async () => {
    const { tracer, named } = recorder()
    const failing: Agent = () => ({ status: 'error', failure: { name: 'Error', message: 'lost', code: 'max-turns' } })
    await tracedAgent(failing, 'failing', { tracer })(task)
    expect(named('invoke_agent failing').status).toEqual({ code: 2, message: 'lost' })
    const throwing: Agent = () => Promise.reject(new Error('gone'))
    await expect(tracedAgent(throwing, 'throwing', { tracer })(task)).rejects.toThrow('gone')
    expect(named('invoke_agent throwing').status.message).toBe('gone')
  })
})

describe('what is not recorded', () => {
  const task = { prompt: 'x', workspace: memoryWorkspace({}), signal: new AbortController().signal }
  const ring: { self?: unknown } = {}
  ring.self = ring
  const toolExecutions = [{ id: 'a', name: 'look', step: 0, input: ring, output: 7n, status: 'completed' }]

  test('changes no result', async () => {
    const { tracer, named } = recorder()
    const results = [
      { status: 'completed', metadata: { bridge: 'x', 'x.toolExecutions': toolExecutions } },
      { status: 'completed', metadata: null },
      { status: 'completed', phases: 5 },
      undefined,
    ]
    for (const content of ['explanation', 'full'] as const)
      for (const result of results) {
        const agent = tracedAgent((() => result) as never, 'a', { tracer, content })
        expect(await agent(task)).toBe(result)
      }
    expect(named('execute_tool look')).toBeDefined()
    for (const response of [undefined, null, { text: 'x', metadata: 5 }]) {
      const model = tracedModel((async () => response) as never, { tracer })
      expect(await model(userRequest('x'))).toBe(response)
    }
    const answering = tracedModel(async () => ({ text: 'yes' }), { tracer, content: 'full' })
    expect((await answering({ options: {}, messages: [7n] } as never)).text).toBe('yes')
    expect((await answering(undefined as never)).text).toBe('yes')
  })

  test('no content leaves where none may, and no more than 2,000 characters of a reason anywhere', async () => {
    const { tracer, spans } = recorder()
    const options = { tracer, content: 'none' as const }
    const secret = 'the text of the item'
    const lost: Agent = () => ({ status: 'error', failure: { name: 'Error', message: secret, code: 'lost' } })
    const throwing = () => Promise.reject(new Error(secret))
    const erring: Judge = () => error(secret, new Error(secret))
    await tracedAgent(lost, 'a', options)(task)
    await expect(tracedAgent(throwing, 'b', options)(task)).rejects.toThrow(secret)
    await expect(tracedModel(throwing, options)(userRequest('x'))).rejects.toThrow(secret)
    await runJudge(tracedJudge(erring, 'c', options), {})
    await tracedJury(jury({ judges: { c: erring } }), 'd', options).vote({})
    const sent = spans().map(({ status, attributes, events }) => ({ status, attributes, events }))
    // An error that could decide the vote makes it one.
    expect(sent.map(({ status }) => status.code)).toEqual([2, 2, 2, 2, 2])
    expect(JSON.stringify(sent)).not.toContain(secret)
    const long = recorder()
    await runJudge(
      tracedJudge(() => error('x'.repeat(5_000), new Error('y')), 'e', { tracer: long.tracer }),
      {},
    )
    expect(long.named('jurist.judge e').status.message).toHaveLength(2_000)
  })
})

describe('a tracer that throws', () => {
  test('changes nothing', async () => {
    expect(
      (
        await runJudge(
          tracedJudge(() => true, 'a', { tracer: broken }),
          {},
        )
      ).status,
    ).toBe('pass')
    expect(
      (await tracedJury(jury({ judges: { a: () => true } }), 'a', { tracer: broken }).vote({})).aggregated.status,
    ).toBe('pass')
    expect((await tracedModel(async () => ({ text: 'yes' }), { tracer: broken })(userRequest('x'))).text).toBe('yes')
    const parentOf = () => {
      throw new Error('no span')
    }
    expect(
      (
        await runJudge(
          tracedJudge(() => true, 'a', { tracer: broken, parentOf }),
          {},
        )
      ).status,
    ).toBe('pass')
  })

  test('a missing tracer and bad content are refused', () => {
    expect(() => tracedJudge(() => true, 'a', {} as never)).toThrow(/"tracer" is missing/)
    expect(() => tracedJudge(() => true, 'a', { tracer: broken, content: 'some' as never })).toThrow(/content/)
  })
})
