import SwiftSource

/// Names of Foundation that are in modules of their own on Linux.
enum FoundationModules {
    private static let networking = "FoundationNetworking"
    private static let xml = "FoundationXML"
    static let all: Set<String> = [networking, xml]

    /// The module that has a name; nil for others than these.
    static func module(of name: String) -> String? {
        if inNetworking.contains(name) || name.hasPrefix("URLSession") { return networking }
        return inXML.contains(name) ? xml : nil
    }

    /// Notes the module that a name needs, if it is used where a token is.
    ///
    /// - Returns: Whether some module has the name.
    static func note(_ name: String, _ index: Int, in file: inout PortingFile) -> Bool {
        guard let module = module(of: name) else { return false }
        if !LegacyModules.isMemberOrDeclared(index, in: file.source) {
            file.neededModules.insert(module)
        }
        return true
    }

    private static let inNetworking: Set<String> = [
        "CachedURLResponse", "HTTPCookie", "HTTPCookieStorage", "HTTPURLResponse",
        "NSMutableURLRequest", "NSURLRequest", "URLAuthenticationChallenge", "URLCache",
        "URLCredential", "URLCredentialStorage", "URLProtectionSpace", "URLProtocol",
        "URLProtocolClient", "URLRequest", "URLResponse",
    ]

    private static let inXML: Set<String> = [
        "XMLDTD", "XMLDTDNode", "XMLDocument", "XMLElement", "XMLNode", "XMLParser",
        "XMLParserDelegate",
    ]
}
