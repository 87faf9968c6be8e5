//! Reading without large elements, also from files that no memory holds.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use lozenge_onnx::{Data, Mistake, Model, SourceError, rewrite, skim};

use crate::encode::{message, small};

#[test]
fn small_elements_are_kept_and_the_copy_is_the_file() {
    let file = small();
    assert_eq!(skim(Cursor::new(&file)).unwrap().bytes(), file);
}

#[test]
fn large_elements_are_left_out_wherever_they_are() {
    let tensor = || message().int(1, 5000).int(2, 2).bytes(9, &[7; 5000]).text(8, "w");
    let constant = || message().nest(5, tensor()).node();
    let branch = message().nest(1, constant()).nest(5, tensor());
    let sparse = message().nest(1, tensor()).nest(2, tensor());
    let graph = message()
        .nest(1, constant())
        .nest(1, message().nest(6, branch).node())
        .nest(1, message().nest(10, tensor()).nest(23, sparse.clone()).node())
        .nest(5, message().int(1, 1250).int(2, 1).bytes(4, &[7; 5000]))
        .nest(15, sparse);
    let mut file = graph.file();
    file.extend(message().nest(25, message().nest(7, constant())).0);
    let skimmed = skim(Cursor::new(&file)).unwrap();
    assert!(skimmed.bytes().len() < 600, "{}", skimmed.bytes().len());
    let model = skimmed.model().unwrap();
    assert_eq!(model.count_nodes(), Model::read(&file).unwrap().count_nodes());
    let Data::LeftOut { offset, length } = model.graph.initializers[0].data else { panic!() };
    let at = usize::try_from(offset).unwrap();
    assert_eq!((length, &file[at..at + 5000]), (5000, &[7; 5000][..]));
    assert_eq!(file[at - 3], 0x22); // the key of the list, then two bytes of its length
}

#[test]
fn places_of_mistakes_are_places_in_the_file() {
    let tensor = message().int(1, 5000).bytes(9, &[7; 5000]);
    let file = message().nest(5, tensor).nest(1, message().int(3, 1)).file();
    let whole = Model::read(&file).map(|_| ()).unwrap_err();
    let skimmed = skim(Cursor::new(&file)).unwrap();
    assert_eq!(skimmed.model().map(|_| ()).unwrap_err(), whole);
}

#[test]
fn what_is_not_a_model_is_named() {
    let error = skim(Cursor::new(b"version https://git-lfs.github.com/spec/v1\n")).unwrap_err();
    assert!(error.to_string().starts_with("found a git-lfs pointer"), "{error}");
}

/// A file with a head, many zeros and a tail, that is nowhere.
struct Sparse {
    head: Vec<u8>,
    zeros: u64,
    tail: Vec<u8>,
    at: u64,
    read: u64,
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (zeros, head) = (self.zeros, self.head.len() as u64);
        let left = (head + zeros + self.tail.len() as u64).saturating_sub(self.at);
        let length = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        for byte in &mut buffer[..length] {
            let index = |at| usize::try_from(at).unwrap();
            *byte = match self.at.checked_sub(head) {
                None => self.head[index(self.at)],
                Some(at) if at < zeros => 0,
                Some(at) => self.tail[index(at - zeros)],
            };
            self.at += 1;
            self.read += 1;
        }
        Ok(length)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let length = self.head.len() as u64 + self.zeros + self.tail.len() as u64;
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(step) => length.checked_add_signed(step),
            SeekFrom::Current(step) => self.at.checked_add_signed(step),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A model of 6 GB, of which most is one tensor.
fn huge() -> Sparse {
    let zeros = 6_000_000_000;
    // Built as if there were no zeros, with the lengths put right: each of five bytes.
    let length = |mut length: u64| -> Vec<u8> {
        let mut out = vec![];
        for _ in 0..4 {
            out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        out.push(u8::try_from(length).unwrap());
        out
    };
    let tail = message().nest(1, message().text(4, "Relu")).text(2, "g").0;
    let name = message().text(8, "w").0;
    let tensor = name.len() as u64 + 6 + zeros;
    let graph = 6 + tensor + tail.len() as u64;
    let head =
        [&[0x3a][..], &length(graph), &[0x2a], &length(tensor), &name, &[0x4a], &length(zeros)];
    Sparse { head: head.concat(), zeros, tail, at: 0, read: 0 }
}

#[test]
fn gigabytes_are_seeked_past() {
    let mut file = huge();
    let skimmed = skim(&mut file).unwrap();
    assert!(file.read < 1_000_000 && skimmed.bytes().len() < 100);
    let model = skimmed.model().unwrap();
    assert_eq!((model.graph.name, model.graph.nodes[0].op), ("g".into(), "Relu".into()));
    assert!(matches!(
        model.graph.initializers[0].data,
        Data::LeftOut { length: 6_000_000_000, .. }
    ));
    let rewritten = rewrite(huge(), &[]).unwrap();
    assert!(rewritten.is_unchanged());
    assert_eq!(rewritten.length(), 6_000_000_000 + (file.head.len() + file.tail.len()) as u64);
}

#[test]
fn a_large_file_that_is_cut_short_is_refused() {
    let cut = Sparse { zeros: 5_000_000_000, ..huge() };
    let Err(SourceError::Read(error)) = skim(cut) else { panic!("refused") };
    assert!(matches!(error.mistake(), Mistake::Truncated { .. }), "{error}");
}
