/// What all pages of reports have around their contents.
enum PageFrame {
    /// A page that needs nothing beside itself.
    static func html(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(MarkupText.escaped(title))</title>
        <style>\(PageStyle.css)</style>
        </head>
        <body>
        <main>
        \(body)
        </main>
        </body>
        </html>

        """
    }
}
