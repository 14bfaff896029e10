import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { datasetFiles } from './dataset-files.js'
import { readTasks } from './tasks.js'

// Makes a Jurist project of the JavaScript part of HumanEvalPack: real bugs, each with a visible and a hidden test.
const [file, directory, limit] = process.argv.slice(2)

try {
  if (file === undefined || directory === undefined) throw new Error('Usage: main.ts <file> <directory> [limit]')
  const there = await readdir(directory).catch(() => [])
  if (there.length > 0) throw new Error(`${directory} is not empty. Use a directory that is absent or empty.`)
  const text = await readFile(file, 'utf8')
  const tasks = readTasks(text, file).slice(0, limit === undefined ? undefined : Number(limit))
  for (const [path, content] of datasetFiles(tasks, text)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  await copyFile(new URL('jurist.config.ts', import.meta.url), join(directory, 'jurist.config.ts'))
  process.stdout.write(
    `Made a dataset of ${tasks.length} items in ${directory}.\nNext:  npx jurist -C ${directory} run\n`,
  )
} catch (thrown) {
  process.stderr.write(`${(thrown as Error).message}\n`)
  process.exitCode = 2
}
