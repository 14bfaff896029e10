export interface TreeFile {
  readonly path: string
}

export interface Directory<File> {
  readonly name: string
  readonly path: string
  readonly directories: readonly Directory<File>[]
  readonly files: readonly File[]
}

/** Builds the tree of files. A directory that contains only a directory shares its line: `src/main/java`. */
export function treeOf<File extends TreeFile>(files: readonly File[], path = ''): Directory<File> {
  const below = new Map<string, File[]>()
  const here: File[] = []
  for (const file of files) {
    const end = file.path.indexOf('/', path.length)
    if (end < 0) here.push(file)
    else {
      const name = file.path.slice(path.length, end)
      const inside = below.get(name)
      if (inside === undefined) below.set(name, [file])
      else inside.push(file)
    }
  }
  const directories = [...below].map(([name, inside]) => joined({ ...treeOf(inside, `${path}${name}/`), name }))
  return { name: '', path, directories, files: here }
}

function joined<File>(directory: Directory<File>): Directory<File> {
  const [only, ...others] = directory.directories
  if (only === undefined || others.length > 0 || directory.files.length > 0) return directory
  return { ...only, name: `${directory.name}/${only.name}` }
}
