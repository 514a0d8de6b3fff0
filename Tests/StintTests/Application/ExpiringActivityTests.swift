import StintCore
import Testing

@testable import Stint

@Suite("Expiring activities")
struct ExpiringActivityTests {
  @Test("A20 an expiry before the first call takes its place, and there is no second one")
  func before() {
    let activity = ExpiringActivity()
    activity.expires()
    #expect(!activity.claimsSecondCall())
    #expect(!activity.begins())
    #expect(!activity.claimsSecondCall())
  }

  @Test("A20 an expiry while the first call runs makes a second one")
  func during() {
    let activity = ExpiringActivity()
    #expect(activity.begins())
    activity.expires()
    #expect(activity.claimsSecondCall())
  }

  @Test("A20 news of an expiry that come after the first call has returned make no second one")
  func after() {
    let activity = ExpiringActivity()
    #expect(activity.begins())
    activity.expires()
    activity.ends()
    #expect(!activity.claimsSecondCall())
  }
}
