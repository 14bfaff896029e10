import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'

const config = `juries:
  tools:
    type: tool-calls
    expected: [{ name: Bash }, { name: Edit }]
    order: in-order
  shell:
    type: tool-calls
    expected: [{ name: exec_command, input: { cmd: npm test } }]
  completed:
    type: tool-failures
    atMost: 0
`
const lines = (...values: readonly object[]) => values.map((value) => JSON.stringify(value)).join('\n')

const common = { sessionId: 's-1', version: '2.1.197', isSidechain: false }
const usage = { input_tokens: 5, output_tokens: 20, cache_read_input_tokens: 100, cache_creation_input_tokens: 10 }
const answer = (id: string, block: object) => ({
  ...{ ...common, type: 'assistant', timestamp: '2026-11-20T10:00:05Z' },
  message: { id, model: 'claude-x', role: 'assistant', content: [block], usage },
})
const user = (content: unknown, more: object = {}) => {
  return { ...common, ...more, type: 'user', timestamp: '2026-11-20T10:00:00Z', message: { role: 'user', content } }
}
const claude = lines(
  { type: 'file-history-snapshot', messageId: 'm' },
  user('Repair the sum.'),
  answer('m1', { type: 'text', text: 'I look.' }),
  answer('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm test' } }),
  user([{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: [{ type: 'text', text: 'exit 1' }] }]),
  { ...answer('m9', { type: 'text', text: 'a subagent' }), isSidechain: true },
  answer('m2', { type: 'tool_use', id: 't2', name: 'Edit', input: { file_path: 'sum.js' } }),
  user([{ type: 'tool_result', tool_use_id: 't2', content: 'ok' }]),
  user('caveat', { isMeta: true }),
  answer('m3', { type: 'text', text: 'It is repaired.' }),
  user('Thanks. Anything else?'),
  answer('m4', { type: 'text', text: 'No.' }),
)

const at = '2026-11-20T10:00:00Z'
const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload })
const said = (role: string, text: string) => item({ type: 'message', role, content: [{ type: 'input_text', text }] })
const count = (input: number, total: number) => ({
  ...{ timestamp: at, type: 'event_msg' },
  payload: {
    type: 'token_count',
    info: {
      last_token_usage: { input_tokens: input, cached_input_tokens: 10, output_tokens: 5, total_tokens: input + 5 },
      total_token_usage: { total_tokens: total },
    },
  },
})
const codex = lines(
  { timestamp: at, type: 'session_meta', payload: { id: 'c-1', cli_version: '0.98.0' } },
  { timestamp: at, type: 'turn_context', payload: { model: 'gpt-5.4' } },
  said('user', '<environment_context>linux</environment_context>'),
  said('user', 'Run the tests.'),
  { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'Run the tests.' } },
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"npm test"}', call_id: 'x' }),
  item({ type: 'function_call_output', call_id: 'x', output: 'Exit code: 1\nWall time: 1 s\nfailed' }),
  count(50, 55),
  count(50, 55),
  said('assistant', 'They fail.'),
  count(70, 130),
  { timestamp: at, type: 'brand_new', payload: { a: 1 } },
)

const item0 = async (place: ReturnType<typeof project>, jury: string) => {
  return JSON.parse((await place.jurist('rejudge', 'session', '--jury', jury, '--json')).stdout).result.items[0]
}

const key = 'sk-proj-Abcdef0123456789abcdef0123456789'

describe('jurist import session', () => {
  test('makes a conversation of a session of Claude Code, and counts each answer once', async () => {
    using place = project({ 'jurist.config.yaml': config, 'sessions/s-1.jsonl': claude })
    const imported = JSON.parse((await place.jurist('import', 'session', 'sessions', '--json')).stdout)
    expect(imported.notes).toEqual([
      'lines of the type "file-history-snapshot": no counterpart, in the journal',
      'the work of subagents is in the journal; its tokens and tools do not count',
    ])
    const judged = await item0(place, 'tools')
    expect(judged).toMatchObject({
      ...{ itemId: 's-1', task: 'Repair the sum.', passed: true },
      usage: { inputTokens: 460, outputTokens: 80, cacheReadTokens: 400, cacheWriteTokens: 40 },
      detail: { invocation: { sessionId: 's-1', output: { text: 'No.' } } },
    })
    const { turns } = judged.detail.invocation
    expect(turns.map(({ role, text }: { role: string; text: string }) => `${role}: ${text}`)).toEqual([
      'user: Repair the sum.',
      'agent: It is repaired.',
      'user: Thanks. Anything else?',
      'agent: No.',
    ])
    expect((await item0(place, 'completed')).passed).toBe(false)
  })

  test('reads a rollout of Codex: tools, tokens once, no context as a message of the user', async () => {
    using place = project({ 'jurist.config.yaml': config, 'rollout.jsonl': codex })
    const { notes } = JSON.parse((await place.jurist('import', 'session', 'rollout.jsonl', '--json')).stdout)
    expect(notes).toEqual(['lines of the type "brand_new": no counterpart, in the journal'])
    const judged = await item0(place, 'shell')
    expect(judged).toMatchObject({
      ...{ task: 'Run the tests.', passed: true },
      usage: { inputTokens: 120, outputTokens: 10, cacheReadTokens: 20 },
      detail: { invocation: { sessionId: 'c-1', output: { text: 'They fail.' } } },
    })
    expect((await item0(place, 'completed')).passed).toBe(false)
  })

  test('a damaged line is left out and named, in a file and in a directory', async () => {
    const damaged = `${claude}\n{"type":"us\n${lines(user('x'), answer('m5', { type: 'text', text: 'y' }))}`
    const two = `${lines(user('a'))}\n${lines(user('b'))}${lines(user('c'))}\n${lines(answer('m1', { type: 'text', text: 'z' }))}`
    using place = project({
      'logs/a.jsonl': damaged,
      'logs/b.jsonl': two,
      'logs/c.jsonl': '{"type":"user",',
      'logs/d.jsonl': claude,
    })
    const one = JSON.parse((await place.jurist('import', 'session', 'logs/a.jsonl', '--json')).stdout)
    expect(one.notes).toContain('logs/a.jsonl: line 13 is not JSON, and is left out')
    const { code, stdout } = await place.jurist('import', 'session', 'logs', '--name', 'all')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Stored 3 trials of 3 items')])
    expect(stdout).toContain('logs/b.jsonl: line 2 is not JSON, and is left out')
    expect(stdout).toContain('files that cannot be read, such as: it is not JSON (1): logs/c.jsonl')
  })

  describe('the conversation is that of the last message', () => {
    const line = (uuid: string, parentUuid: string | null, entry: object) => ({ ...entry, uuid, parentUuid })
    const text = (id: string, said: string) => answer(id, { type: 'text', text: said })
    const call = (id: string, tool: string) => answer(id, { type: 'tool_use', id: tool, name: 'Bash', input: {} })
    const result = (tool: string) => user([{ type: 'tool_result', tool_use_id: tool, content: tool }])
    const transcript = async (...entries: readonly object[]) => {
      using place = project({ 'jurist.config.yaml': config, 's.jsonl': lines(...entries) })
      const { notes, runId } = JSON.parse((await place.jurist('import', 'session', 's.jsonl', '--json')).stdout)
      const shown = (await place.jurist('show', runId, 's', '--journal')).stdout
      return { notes, shown }
    }

    test('a prompt that was edited', async () => {
      const { notes, shown } = await transcript(
        line('u1', null, user('List the files.')),
        line('b1', 'u1', text('m1', 'wrong branch')),
        line('u2', 'b1', user('why that one')),
        line('u5', 'u1', user('List the files, briefly.')),
        line('b2', 'u5', text('m2', 'a.txt')),
      )
      expect(notes).toContain('left out: 1 abandoned branch')
      expect(shown).toContain('a.txt')
      expect(shown).not.toMatch(/wrong branch|why that one/)
    })

    test('the first prompt, edited twice', async () => {
      const { notes, shown } = await transcript(
        line('u1', null, user('one')),
        line('b1', 'u1', text('m1', 'first answer')),
        line('u2', null, user('two')),
        line('b2', 'u2', text('m2', 'second answer')),
        line('u3', null, user('three')),
        line('b3', 'u3', text('m3', 'third answer')),
      )
      expect(notes).toContain('left out: 2 abandoned branches')
      expect(shown).not.toMatch(/first answer|second answer/)
    })

    test('calls of tools that ran together, notes of the program and summaries are no branches', async () => {
      const { notes, shown } = await transcript(
        line('u1', null, user('go')),
        line('a1', 'u1', call('m1', 't1')),
        line('a2', 'a1', call('m1', 't2')),
        line('r1', 'a1', result('t1')),
        line('s1', 'r1', { type: 'system', content: 'a hook ran' }),
        line('r2', 'a2', result('t2')),
        line('b1', 'r2', text('m2', 'half way')),
        line('c0', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'b1' }),
        line('c1', 'c0', user('what came before', { isCompactSummary: true })),
        line('b2', 'c1', text('m3', 'at the end')),
      )
      expect(notes.filter((note: string) => note.startsWith('left out'))).toEqual([])
      for (const said of ['t1', 't2', 'half way', 'at the end']) expect(shown).toContain(said)
    })
  })

  test('a turn of Codex that a person took back is left out', async () => {
    const message = (text: string) => ({
      timestamp: at,
      type: 'event_msg',
      payload: { type: 'user_message', message: text },
    })
    const content = lines(
      { timestamp: at, type: 'session_meta', payload: { id: 'c-2', cli_version: '0.98.0' } },
      message('first'),
      said('assistant', 'an answer'),
      message('second'),
      said('assistant', 'a wrong answer'),
      { timestamp: at, type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
      message('third'),
      said('assistant', 'a right answer'),
    )
    using place = project({ 'r.jsonl': content })
    const { notes, runId } = JSON.parse((await place.jurist('import', 'session', 'r.jsonl', '--json')).stdout)
    expect(notes).toContain('left out: 1 abandoned turn')
    const shown = (await place.jurist('show', runId, 'r', '--journal')).stdout
    expect(shown).toContain('a right answer')
    expect(shown).not.toContain('a wrong answer')
  })

  test.each([
    ['something else', '{"a":1}', 'neither a session of Claude Code nor a rollout of Codex'],
    ['a wrong type', lines(user(7), user('x')), 'line 1.message.content has the wrong type'],
    ['a line that is not an object', `"x"\n${claude}`, '  line 1 has the wrong type\njurist:'],
  ])('refuses %s', async (_, content, problem) => {
    using place = project({ 'a.jsonl': content })
    const ran = await place.jurist('import', 'session', 'a.jsonl')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(problem)
  })

  test('keys in a trace, and secrets of the environment, are not stored', async () => {
    const secret = 'hunter2-hunter2-hunter2'
    const text = lines(
      user(`Use OPENAI_API_KEY=${key} and ${secret}, or Authorization: Bearer ${key}.`),
      answer('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: `curl -H "x-api-key: ${key}"` } }),
      answer('m2', { type: 'text', text: 'The word authorization: is no key, and task-id-1 is none.' }),
    )
    using made = project({ 'session.jsonl': text })
    const ran = await made.juristWith({ DEPLOY_TOKEN: secret }, 'import', 'session', 'session.jsonl', '--name', 'keyed')
    expect(ran.stdout).toContain('session.jsonl: strings that look like keys are replaced by *** in the run')
    const everything = await made.results.everything()
    for (const hidden of [key, secret]) expect(everything).not.toContain(hidden)
    const shown = await made.jurist('show', 'latest', '--item', 'session', '--journal')
    expect(shown.stdout).toContain('The word authorization: is no key, and task-id-1 is none.')
    expect(shown.stdout).not.toContain(key)
  })

  test('a last line that was cut off is left out and named', async () => {
    using place = project({ 'a.jsonl': `${claude}\n{"type":"us` })
    const { stdout } = await place.jurist('import', 'session', 'a.jsonl')
    expect(stdout).toContain('- a.jsonl: line 13 was cut off, and is left out\n')
    expect(stdout).toContain('Stored 1 trial')
  })

  test('commands of Claude Code and what they print begin no turn; a command that a model answers does', async () => {
    const command = (name: string) => user(`<command-name>/${name}</command-name><command-args></command-args>`)
    const text = lines(
      user('Repair the sum.'),
      answer('m1', { type: 'text', text: 'It is repaired.' }),
      command('review'),
      user('Review the diff.', { isMeta: true }),
      answer('m2', { type: 'text', text: 'It is fine.' }),
      command('cost'),
      user('<local-command-stdout>$1</local-command-stdout>'),
      user('<task-notification>done</task-notification>'),
      command('exit'),
    )
    using place = project({ 'a.jsonl': text })
    await place.jurist('import', 'session', 'a.jsonl')
    const [id = ''] = await place.results.runs('session')
    const [trial = '{}'] = await place.results.trials('session', id)
    const { output, turns } = JSON.parse(trial).detail.invocation
    expect(output.text).toBe('It is fine.')
    expect(turns.map(({ text: words }: { readonly text: string }) => words)).toEqual([
      ...['Repair the sum.', 'It is repaired.'],
      ...['<command-name>/review</command-name><command-args></command-args>', 'It is fine.'],
    ])
  })

  test('files of subagents are left out of a directory, and are sessions by themselves', async () => {
    const work = lines(user('Look at src.', { isSidechain: true }), {
      ...answer('m1', { type: 'text', text: 'Seen.' }),
      isSidechain: true,
    })
    const meta = { id: 'c-2', thread_source: 'subagent', source: { subagent: { thread_spawn: { depth: 1 } } } }
    const worker = lines({ timestamp: at, type: 'session_meta', payload: meta }, said('user', 'Look.'))
    using place = project({ 'p/s-1.jsonl': claude, 'p/s-1/agent-1.jsonl': work, 'p/worker.jsonl': worker })
    const { stdout } = await place.jurist('import', 'session', 'p')
    expect(stdout).toContain('Stored 1 trial of 1 item')
    expect(stdout).toContain('sessions of subagents (2): p/s-1/agent-1.jsonl, p/worker.jsonl')
    const alone = JSON.parse((await place.jurist('import', 'session', 'p/s-1/agent-1.jsonl', '--json')).stdout)
    const [trial = '{}'] = await place.results.trials('session', alone.runId)
    expect(JSON.parse(trial)).toMatchObject({
      task: 'Look at src.',
      detail: { invocation: { output: { text: 'Seen.' } } },
    })
  })

  test.each([
    ['Exit code: 0\nWall time: 1 s\nOutput:\nok', false],
    ['Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nok', true],
    ['Chunk ID: 1a\nWall time: 0.1 seconds\nProcess running with session ID 3\nOutput:\nExit code: 1', false],
    [[{ type: 'input_text', text: 'Wall time: 1 seconds\nProcess exited with code -9\nOutput:\n' }], true],
    [JSON.stringify({ output: 'x', metadata: { exit_code: 2 } }), true],
  ])('a command of Codex that returned %j', async (output, failed) => {
    const call = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"npm test"}', call_id: 'x' }
    const done = { type: 'function_call_output', call_id: 'x', output }
    using place = project({
      'jurist.config.yaml': config,
      'a.jsonl': lines(said('user', 'Test.'), item(call), item(done)),
    })
    await place.jurist('import', 'session', 'a.jsonl')
    expect((await item0(place, 'completed')).passed).toBe(!failed)
  })

  test('what a person typed in Codex begins a turn, nothing else does, and time between turns does not count', async () => {
    const timed = (timestamp: string, line: object) => ({ ...line, timestamp: `2026-11-20T${timestamp}Z` })
    const event = (payload: object) => ({ type: 'event_msg', payload })
    const typed = (message: string) => event({ type: 'user_message', message })
    const text = lines(
      timed('10:00:00', { type: 'session_meta', payload: { id: 'c-2', cli_version: '0.104.0' } }),
      timed('10:00:00', said('user', 'My editor shows sum.js.')),
      timed('10:00:00', said('user', 'Run the tests.')),
      timed('10:00:00', typed('Run the tests.')),
      timed(
        '10:00:07',
        item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }),
      ),
      timed('10:00:07', event({ type: 'task_complete' })),
      timed('18:00:00', said('user', 'My editor shows nothing.')),
      timed('18:00:00', said('user', 'Thanks.')),
      timed('18:00:00', typed('Thanks.')),
      timed(
        '18:00:03',
        item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Gladly.' }] }),
      ),
    )
    using made = project({ 'rollout.jsonl': text })
    const { stdout } = await made.jurist('import', 'session', 'rollout.jsonl')
    expect(stdout).not.toContain('Not taken over')
    const [id = ''] = await made.results.runs('session')
    const [trial = '{}'] = await made.results.trials('session', id)
    const { task, agentMs, detail } = JSON.parse(trial)
    expect([task, agentMs]).toEqual(['Run the tests.', 10_000])
    expect(detail.invocation.turns.map(({ text: words }: { readonly text: string }) => words)).toEqual([
      'Run the tests.',
      'Done.',
      'Thanks.',
      'Gladly.',
    ])
  })
})
