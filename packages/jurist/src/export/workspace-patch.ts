import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { deleteTree, temporaryDirectory, withGit } from '@jurist/workspace/internal'

const timeoutMs = 300_000

/** No attribute of a workspace changes what git reads: patches have the bytes of the files. */
const asTheyAre = '* -text -eol -ident -filter -working-tree-encoding !diff\n'
/** Every file as a binary one: a JSON string holds UTF-8 only. */
const asBinary = '* -text -eol -ident -filter -working-tree-encoding -diff\n'

/**
 * The patch from one directory to another, as `git apply` reads it; `''` where they are equal. New files that the ignore
 * files of the workspace name are left out, as they are of a commit.
 */
export async function workspacePatch(before: string, after: string, signal: AbortSignal): Promise<string> {
  const directory = temporaryDirectory()
  const repository = join(directory, 'repository', '.git')
  const output = join(directory, 'changes.patch')
  try {
    return await withGit({ cwd: directory, timeoutMs, signal }, async (git) => {
      await git(['init', '--quiet', dirname(repository)])
      const attributes = join(repository, 'info', 'attributes')
      await mkdir(join(repository, 'info'), { recursive: true })
      await writeFile(attributes, asTheyAre)
      const treeOf = async (workTree: string, ...force: readonly string[]) => {
        const at = ['-C', workTree, '--git-dir', repository, '--work-tree', workTree]
        await git([...at, 'add', '--all', ...force, '--', '.'])
        return git([...at, 'write-tree'])
      }
      const trees = [await treeOf(before, '--force'), await treeOf(after)]
      const diff = async () => {
        const how = ['--binary', '--full-index', '--no-color', '--no-renames', '--no-ext-diff', '--no-textconv']
        await git(['--git-dir', repository, 'diff', ...how, `--output=${output}`, ...trees, '--'])
        return readFile(output)
      }
      return textOf(await diff()) ?? textOf(await writeFile(attributes, asBinary).then(diff)) ?? ''
    })
  } finally {
    await deleteTree(directory)
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
