import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

const line = (type: string, payload: object) => JSON.stringify({ timestamp: '2026-11-20T10:00:00Z', type, payload })
const session = [
  line('session_meta', { id: 'c-1', cli_version: '0.104.0' }),
  line('turn_context', { model: 'gpt-5.4' }),
  line('event_msg', { type: 'user_message', message: 'Run the tests.' }),
  line('response_item', {
    type: 'function_call',
    call_id: 'k1',
    name: 'exec_command',
    arguments: '{"cmd":"npm test"}',
  }),
  line('response_item', { type: 'function_call_output', call_id: 'k1', output: '2 passed' }),
  line('event_msg', {
    type: 'token_count',
    info: { last_token_usage: { input_tokens: 40, output_tokens: 2 }, total_token_usage: { total_tokens: 42 } },
  }),
  line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'All pass.' }] }),
].join('\n')

const log = JSON.stringify({
  version: 2,
  status: 'success',
  eval: { task: 'sums', model: 'openai/one', created: '2026-11-20T10:00:00Z' },
  samples: [
    {
      ...{ id: 'four', epoch: 1, input: 'What is 2 + 2?', target: '4', total_time: 3 },
      messages: [
        { role: 'user', content: 'What is 2 + 2?' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: 'add', arguments: { a: 2, b: 2 } }] },
        { role: 'tool', tool_call_id: 'a', content: '4' },
        { role: 'assistant', content: 'It is four.' },
      ],
      output: { completion: 'It is four.' },
      scores: { match: { value: 'I', explanation: 'the digit is missing' }, closeness: { value: 0.75 } },
      model_usage: { 'openai/one': { input_tokens: 30, output_tokens: 4 } },
    },
  ],
})

describe.skipIf(isWithoutBrowser)(inBrowser('imported runs'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page

  beforeAll(async () => {
    made = project({ 'session.jsonl': session, 'log.json': log })
    for (const [format, file] of [['session', 'session.jsonl'] as const, ['inspect', 'log.json'] as const])
      expect((await made.jurist('import', format, file)).code).toBe(0)
    viewed = await viewProject(made, '#/')
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  const open = async (experiment: string, item: string, rest = '') => {
    const [id = ''] = await made.results.runs(experiment)
    await goTo(tab, `#/runs/${id}/items/${item}/1${rest}`)
  }

  test('a session shows its task, its answer, and its tools and tokens in the journal', async () => {
    await open('session', 'session')
    await tab.getByText('Run the tests.').first().waitFor()
    await tab.getByText('All pass.').first().waitFor()
    await open('session', 'session', '/journal')
    const call = tab.locator('.step', { hasText: 'exec_command' })
    await call.waitFor()
    expect(await call.innerText()).toContain('npm test')
    await tab.getByText('42 tokens').first().waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
  })

  test('a sample of Inspect shows its scores with their reasons, and its tools', async () => {
    await open('sums', 'four')
    await tab.getByText('the digit is missing').first().waitFor()
    await tab.locator('.tree').getByText('closeness', { exact: true }).waitFor()
    await tab.getByText('It is four.').first().waitFor()
    await open('sums', 'four', '/journal')
    await tab.locator('.step', { hasText: 'add' }).waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
  })
})
