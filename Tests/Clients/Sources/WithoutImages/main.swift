import Glibc
import Stint
import StintImages

// A program whose package takes Stint with `traits: []`: every product can be imported, and neither
// this program nor what it has loaded knows libvips. The Makefile looks at the file, this looks at
// the process.

let application = Application.shared
application.launch()
let task = application.beginBackgroundTask(withName: "without images") {}
guard task != .invalid else {
  print("No task was granted.")
  exit(1)
}
application.endBackgroundTask(task)

guard dlsym(nil, "vips_init") == nil else {
  print("libvips is loaded, although the trait Images is off.")
  exit(1)
}
print("ok")
