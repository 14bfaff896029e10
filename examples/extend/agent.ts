import { type Agent, completed, errored } from 'jurist'

/** Asks a service for the text of README.md, and writes it. */
export function readmeService(url: string): Agent {
  return async function readmeService({ prompt, workspace, signal, record }) {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ prompt }), signal })
    if (response.status >= 500)
      // Undecided and tried again, instead of a fail of the agent.
      return errored(Object.assign(new Error(`the service says ${response.status}`), { infrastructure: true }))
    const { text, costUsd } = (await response.json()) as { readonly text: string; readonly costUsd: number }
    await workspace.write('README.md', text)
    record?.({ type: 'text', text: 'README.md is written' })
    return completed({ output: 'Done.', costUsd })
  }
}
