import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { isPlainObject } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { inputOf, type McpTool, textIn } from '../mcp/mcp-tool.js'
import { ratchetRefused } from './refused.js'

/**
 * Offers `jurist ratchet try` to an agent that cannot run it, since its sandbox does not hold the state of the ratchet. It runs in a
 * process of its own.
 */
export function ratchetTool(name: string): McpTool {
  return {
    description:
      'Tries the version in a work tree: whether it is kept, by hidden items. Each look at them is counted. The trials of the visible items are in the run that it names: see show_trial.',
    input: inputOf({
      directory: { type: 'string', description: 'The work tree, within your roots. Default: the first root.' },
    }),
    isOpenWorld: true,
    changes: true,
    async run(input, place, signal) {
      const directory = await place.directory(textIn(input, 'directory'))
      const words = [process.argv[1] ?? '', '-C', directory, '--json', 'ratchet', 'try', name, '--wait']
      const child = spawn(process.execPath, words, {
        signal,
        stdio: ['ignore', 'pipe', 'ignore'],
        killSignal: 'SIGTERM',
      })
      child.on('error', () => undefined)
      const answer = parseObject(await text(child.stdout))
      const error = isPlainObject(answer?.error) ? answer.error.message : undefined
      if (answer === undefined || error !== undefined)
        throw ratchetRefused(name, typeof error === 'string' ? error : 'The try ended without an answer.')
      return answer
    },
  }
}
