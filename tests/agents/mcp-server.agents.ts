import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { claudeCommand } from '@jurist/bridges/claude-agent'
import { emptyDirectory } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { scriptedServer } from '../../packages/bridges/testing/index.js'
import { root } from '../structure/source.js'
import { directoryOf, isInstalled } from './kit/install.js'
import { selected } from './kit/packages.js'
import { program } from './kit/real-agent.js'

const jurist = join(root, 'packages/jurist/dist/command/main.js')
const config = 'juries:\n  done: { judges: { readme: { type: file-exists, path: README.md } }, vote: consensus }\n'
const isThere = (name: string) => selected().includes(name) && isInstalled(name)

const sdk = '@modelcontextprotocol/sdk'
test.skipIf(!isThere(sdk))(`${sdk} speaks with jurist mcp`, async () => {
  await using workspace = await emptyDirectory()
  await workspace.write('jurist.config.yaml', config)
  const { Client } = await part('client/index.js')
  const { StdioClientTransport } = await part('client/stdio.js')
  const { ListRootsRequestSchema } = await part('types.js')
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } })
  const roots = [{ uri: pathToFileURL(workspace.root).href }]
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }))
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [jurist, 'mcp'],
      cwd: workspace.root,
      stderr: 'inherit',
    }),
  )
  const { tools } = await client.listTools()
  expect(tools.map(({ name }: { readonly name: string }) => name)).toContain('judge')
  const judge = () => client.callTool({ name: 'judge', arguments: { jury: 'done' } })
  expect(await judge()).toMatchObject({ structuredContent: { status: 'fail' } })
  await workspace.write('README.md', '')
  expect(await judge()).toMatchObject({ structuredContent: { status: 'pass' } })
  expect(await client.listResources()).toEqual({ resources: [] })
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
  await expect(client.listPrompts()).rejects.toThrow()
  await client.close()
})

async function part(path: string) {
  const resolved = createRequire(join(directoryOf(sdk), 'package.json')).resolve(`${sdk}/${path}`)
  const module = await import(pathToFileURL(resolved).href)
  return module.default ?? module
}

const claude = '@anthropic-ai/claude-code'
test.skipIf(!isThere(claude))(`${claude} asks a jury by the settings that install wrote`, async () => {
  await using workspace = await emptyDirectory()
  await workspace.write('jurist.config.yaml', config)
  execFileSync(process.execPath, [jurist, 'mcp', 'install', 'claude'], { cwd: workspace.root })
  await using server = await scriptedServer(({ tools, body }) => {
    if (!tools.includes('mcp__jurist__judge')) return { text: 'There is no such tool.' }
    const [, status] = /\\"status\\\\?":\\\\?"(\w+)/.exec(JSON.stringify(body)) ?? []
    if (status !== undefined) return { text: `The jury says ${status}.` }
    return { tools: [{ name: 'mcp__jurist__judge', input: { jury: 'done' } }] }
  })
  const agent = claudeCommand({
    command: [program(claude, 'claude')],
    arguments: [
      '--mcp-config',
      join(workspace.root, '.mcp.json'),
      '--strict-mcp-config',
      '--allowedTools',
      'mcp__jurist',
    ],
    environment: {
      set: {
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-dummy-of-the-test',
        CLAUDE_CODE_MAX_RETRIES: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
    },
  })
  const invocation = await agent({ prompt: 'Is it done?', workspace, signal: AbortSignal.timeout(100_000) })
  expect(invocation, JSON.stringify(invocation)).toMatchObject({
    status: 'completed',
    output: { text: 'The jury says fail.' },
  })
})
