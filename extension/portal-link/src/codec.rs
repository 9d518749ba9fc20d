use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder};

/// The longest line either side may send, in bytes, without its line feed.
pub const MAX_LINE: usize = 1_048_576;

/// A line that could not be taken. The stream goes on behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line was longer than [`MAX_LINE`]; all of it was thrown away.
    #[error("a line of the link is at most {MAX_LINE} bytes; this one was longer and was dropped")]
    TooLong,
}

/// Cuts a byte stream into lines. A line that is too long is skipped as it arrives, so that it
/// costs no memory, and is reported once.
///
/// The item carries the [`LineError`], because an `Err` of the decoder itself would end the stream.
#[derive(Debug, Default)]
pub struct LineCodec {
    searched: usize,
    skipping: bool,
}

impl Decoder for LineCodec {
    type Item = Result<Bytes, LineError>;
    type Error = std::io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        loop {
            let Some(at) =
                src[self.searched..].iter().position(|b| *b == b'\n').map(|p| p + self.searched)
            else {
                if self.skipping || src.len() > MAX_LINE + 1 {
                    self.skipping = true;
                    src.clear();
                }
                self.searched = src.len();
                return Ok(None);
            };
            self.searched = 0;
            let mut line = src.split_to(at);
            src.advance(1);
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            if std::mem::take(&mut self.skipping) || line.len() > MAX_LINE {
                return Ok(Some(Err(LineError::TooLong)));
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return Ok(Some(Ok(line.freeze())));
        }
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<Self::Item>, Self::Error> {
        if let Some(item) = self.decode(src)? {
            return Ok(Some(item));
        }
        if std::mem::take(&mut self.skipping) {
            return Ok(Some(Err(LineError::TooLong)));
        }
        self.searched = 0;
        let rest = src.split();
        Ok((!rest.iter().all(u8::is_ascii_whitespace)).then(|| Ok(rest.freeze())))
    }
}

impl Encoder<String> for LineCodec {
    type Error = std::io::Error;

    /// Refuses what is more than one line: the rest would be somebody else's message.
    fn encode(&mut self, line: String, dst: &mut BytesMut) -> Result<(), Self::Error> {
        if line.contains('\n') {
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "a message is one line",
            ));
        }
        dst.reserve(line.len() + 1);
        dst.put_slice(line.as_bytes());
        dst.put_u8(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<Result<String, LineError>> {
        let mut codec = LineCodec::default();
        let mut buffer = BytesMut::new();
        let mut out = Vec::new();
        for chunk in chunks {
            buffer.extend_from_slice(chunk);
            while let Some(item) = codec.decode(&mut buffer).unwrap() {
                out.push(item.map(|b| String::from_utf8(b.to_vec()).unwrap()));
            }
        }
        while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
            out.push(item.map(|b| String::from_utf8(b.to_vec()).unwrap()));
        }
        out
    }

    #[test]
    fn lines_come_out_whole_however_the_bytes_arrive() {
        let want =
            vec![Ok("{\"a\":1}".to_owned()), Ok("{\"b\":2}".to_owned()), Ok("tail".to_owned())];
        assert_eq!(lines(&[b"{\"a\":1}\r\n\n{\"b\":2}\ntail"]), want);
        assert_eq!(lines(&[b"{\"a\"", b":1}\n{\"b", b"\":2}", b"\n", b"tail"]), want);
    }

    #[test]
    fn a_line_at_the_limit_passes_and_one_over_is_reported_once_and_skipped() {
        let at = vec![b'x'; MAX_LINE];
        let over = vec![b'x'; MAX_LINE + 1];
        assert_eq!(lines(&[&at, b"\nnext\n"])[0].as_ref().map(String::len), Ok(MAX_LINE));
        assert_eq!(
            lines(&[&over, b"\nnext\n"]),
            vec![Err(LineError::TooLong), Ok("next".to_owned())]
        );
        let parts: Vec<&[u8]> = vec![&over, &over, b"\nnext\n"];
        assert_eq!(lines(&parts), vec![Err(LineError::TooLong), Ok("next".to_owned())]);
    }

    #[test]
    fn what_is_more_than_one_line_is_not_sent() {
        let mut sent = BytesMut::new();
        assert!(LineCodec::default().encode("a\nb".to_owned(), &mut sent).is_err());
        assert!(sent.is_empty());
        LineCodec::default().encode("ab".to_owned(), &mut sent).unwrap();
        assert_eq!(&sent[..], b"ab\n");
    }

    #[test]
    fn a_long_line_without_an_end_keeps_no_memory() {
        let mut codec = LineCodec::default();
        let mut buffer = BytesMut::new();
        for _ in 0..64 {
            buffer.extend_from_slice(&vec![b'x'; 256 * 1024]);
            assert!(codec.decode(&mut buffer).unwrap().is_none());
            assert!(buffer.len() <= MAX_LINE + 1);
        }
    }
}
