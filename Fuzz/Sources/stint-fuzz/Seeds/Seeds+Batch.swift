@testable import FuzzTargets

extension Seeds {
  /// Batch files, whole and wrong.
  static let batches = [
    "fibonacci 1000 -o a.txt\n",
    "# three kinds\n\nfibonacci 1e6 -o b\nimage in.tif out.png --filter invert\nexec -- make all\n",
    "stint run fibonacci 5 -o c\nrun fibonacci 6 -o d # twice\nfibonacci 6 -o d\n",
    "exec -- sh -c 'sleep 1; echo \"done\"' a\\ b\n",
    "exec -k 1s --checkpoint-file state -- python3 train.py\r\n",
    "\u{feff}fibonacci --sequence 0..100 -o \"e f\"",
    "fibonacci 7 --budget 1s\n", "exec 5 sleep 9\n", "fibonaci 3\n", "exec --suspend -- true\n",
    "echo 'open\n", "exec -- a | b\n", "exec -- $HOME ~ `x`\n", "image\n",
    "exec -- \u{e9}\u{1F600} '' \"\"\n", "fibonacci 9 -o x\nfibonacci 10 -o x\n",
  ]
}
