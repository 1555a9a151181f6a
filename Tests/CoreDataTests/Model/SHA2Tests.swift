import Testing

@testable import CoreData

@Suite struct SHA2Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256MatchesTheStandardsVectors(message: String, hash: String) {
        #expect(SHA2.sha256(Data(message.utf8)).hexadecimal == hash)
    }

    @Test func sha512MatchesTheStandardsVectors() {
        #expect(
            SHA2.sha512(Data("abc".utf8)).hexadecimal
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
        #expect(
            SHA2.sha512(Data()).hexadecimal.hasPrefix("cf83e1357eefb8bdf1542850d66d8007d620e405")
        )
    }

    /// Lengths around the ends of blocks, and a slice that does not begin at index 0.
    @Test func lengthsAroundBlocksAreHashed() {
        let million = SHA2.sha256(Data(repeating: 0x61, count: 1_000_000)).hexadecimal
        #expect(million == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        for count in 50...70 {
            let data = Data(repeating: 7, count: count + 3)
            #expect(SHA2.sha256(data.dropFirst(3)) == SHA2.sha256(Data(repeating: 7, count: count)))
        }
    }
}

extension Data {
    var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
