import { once } from 'node:events'
import { usageInvalid } from '../../config/problems.js'
import { findRun } from '../find-run.js'
import { flagReader } from '../flag-values.js'
import { interruptible } from '../interrupt.js'
import { resultsOf } from '../results-store.js'
import type { Subcommand } from '../subcommand.js'
import { addressOf, hostsOf } from './address.js'
import { openBrowser } from './open-browser.js'
import { serve } from './serve.js'

/** `jurist view`. */
export const view: Subcommand = {
  define: (command) =>
    command
      .argument('[run]', 'open the page at this run')
      .option('--port <n>', 'port to listen on (default: 0, a free one)')
      .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
      .option('--open', 'open a browser')
      .addHelpText('after', '\nExamples:\n  jurist view\n  jurist view latest --open'),
  async run(host, [run], flags) {
    const reader = flagReader()
    const port = reader.whole('--port', flags.port, 0) ?? 0
    if (port > 65_535) reader.problem('--port', `--port goes up to 65535, not ${port}.`)
    reader.done()
    const results = await resultsOf(host)
    const chosen = typeof run === 'string' ? await findRun(results, run, host.cwd) : undefined
    const address = typeof flags.host === 'string' ? flags.host : '127.0.0.1'
    const { viewer } = await import('@jurist/viewer')
    const page = viewer(results.store, {
      hosts: hostsOf(address),
      ...(results.directory === undefined ? {} : { directory: results.directory }),
    })
    using stop = interruptible(host, () => 'Stopping.')
    await using served = await serve(page, { host: address, port }).catch((cause: Error) => {
      throw usageInvalid(
        '--port',
        `Cannot listen on ${address}, port ${port}: ${cause.message}. Choose another --port.`,
      )
    })
    const url = addressOf(address, served.port, chosen?.id)
    if (host.flags.json === true) host.json({ url })
    else host.terminal.out(`${url}\n`)
    host.note(`Showing ${results.shown}. Stop with Ctrl-C.`)
    if (flags.open === true) openBrowser(url)
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
    return 130
  },
}
