import type { Agent } from 'jurist'

/** Stands for your agent: it may call any model or program, and works in the workspace it is given. */
export const myAgent: Agent = async ({ prompt, workspace }) => {
  const { name } = JSON.parse(await workspace.read('package.json')) as { readonly name: string }
  await workspace.write('README.md', `# ${name}\n\n${prompt}\n`)
  return { status: 'completed', output: { type: 'text', text: 'I wrote README.md.' } }
}
