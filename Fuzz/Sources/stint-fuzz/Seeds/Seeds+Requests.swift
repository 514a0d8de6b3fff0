/// Records of requests: each kind, each state, and numbers at the ends of their range.
extension Seeds {
  static let requests = [
    #"{"formatVersion":1,"id":"1","kind":"command","words":["/bin/true"],"directory":""#
      + #"/","submittedUnixNs":1,"requirements":[],"priority":0,"machine":"m","state":"wai"#
      + #"ting","runs":0,"repetitions":0,"deaths":0,"vanished":0}"#,
    #"{"formatVersion":1,"id":"1","kind":"command","words":["/usr/bin/backup","--all","#
      + #""/home"],"directory":"/home/a b","umask":"77","variables":["HOME","TOKEN"],"name"#
      + #"":"nightly","submittedUnixNs":1800000000000000000,"earliestUnixNs":1800003600000"#
      + #"000000,"everyNs":86400000000000,"requirements":["externalPower","network"],"most"#
      + #"Load":0.5,"leastMemory":4294967296,"leastDisk":21474836480,"timeNs":180000000000"#
      + #"0,"leadNs":5000000000,"priority":-3,"afterJob":"fibonacci-1f0c5a93b2d4e687","mac"#
      + #"hine":"0123456789abcdef0123456789abcdef","state":"running","runs":2,"repetitions"#
      + #"":7,"deaths":1,"vanished":0,"beganUnixNs":1800003600000000000,"endedUnixNs":1800"#
      + #"003600000000001,"nextUnixNs":1800090000000000000}"#,
    #"{"formatVersion":1,"id":"1","kind":"chain","chain":"chain-1f0c5a93b2d4e687","sli"#
      + #"ces":50,"words":["run","fibonacci","1e9"],"directory":"/","submittedUnixNs":-1,""#
      + #"machine":"m","state":"waiting","runs":3,"deaths":2,"retrySinceUnixNs":1800000000"#
      + #"000000000,"retryWaitNs":20000000000,"why":"The run before crashed by signal 6."}"#,
    #"{"formatVersion":1,"id":"1","kind":"application","words":["/opt/app"],"directory"#
      + #"":"/opt","submittedUnixNs":0,"machine":"m","state":"setAside","why":"It ended wi"#
      + #"th status 65, which another run would repeat."}"#,
    #"{"formatVersion":1,"id":"1","kind":"command","words":["a"],"directory":"/","subm"#
      + #"ittedUnixNs":-9223372036854775808,"earliestUnixNs":9223372036854775807,"everyNs""#
      + #":1,"machine":"","state":"stopped","retrySinceUnixNs":-9223372036854775808,"retry"#
      + #"WaitNs":-9223372036854775808}"#,
    #"{"formatVersion":1,"id":"1","kind":"command","words":["a\u0000"],"directory":"/""#
      + #","submittedUnixNs":0,"machine":"m","state":"done"}"#,
    #"{"formatVersion":2,"id":"1"}"#,
  ]
}
