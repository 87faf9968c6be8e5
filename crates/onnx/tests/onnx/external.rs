//! Elements in other files, in a directory that is held in memory.

use std::{
    collections::BTreeMap,
    io::{self, Cursor, ErrorKind},
    path::{Path, PathBuf},
};

use lozenge_onnx::{Data, Directory, ExternalError, Model, relative};

use crate::encode::{message, small};

/// Files of a directory `/models`, by the path inside it: where each really is, and its bytes.
struct Memory(BTreeMap<PathBuf, (PathBuf, Vec<u8>)>);

impl Directory for Memory {
    type File = Cursor<Vec<u8>>;

    fn real_path(&self, inside: &Path) -> io::Result<PathBuf> {
        if inside == Path::new("") {
            return Ok("/models".into());
        }
        self.0.get(inside).map(|(real, _)| real.clone()).ok_or(ErrorKind::NotFound.into())
    }

    fn open(&self, inside: &Path) -> io::Result<Self::File> {
        let bytes = self.0.get(inside).map(|(_, bytes)| bytes.clone());
        bytes.map(Cursor::new).ok_or(ErrorKind::NotFound.into())
    }
}

fn directory(real: &str, length: u8) -> Memory {
    let file = ("weights/a.bin".into(), (real.into(), (0..length).collect()));
    Memory(BTreeMap::from([file]))
}

/// Reads the elements of the small model's tensor that has them elsewhere.
fn read(directory: &Memory, most: u64) -> Result<Vec<u8>, ExternalError> {
    let file = small();
    let model = Model::read(&file).unwrap();
    let Data::External(external) = &model.graph.initializers[2].data else { panic!("external") };
    external.read(directory, most)
}

#[test]
fn elements_are_read_from_the_place_that_is_said() {
    let there = directory("/models/weights/a.bin", 100);
    let bytes = read(&there, 32).unwrap();
    assert_eq!(bytes, (8..40).collect::<Vec<u8>>());
    let file = small();
    let tensor = &Model::read(&file).unwrap().graph.initializers[2];
    assert_eq!(tensor.ints_of_raw(&bytes, 4).unwrap()[0], 0x0f0e_0d0c_0b0a_0908);
}

#[test]
fn what_is_not_there_is_said() {
    let said = |directory: &Memory, most| read(directory, most).unwrap_err().to_string();
    let there = directory("/models/weights/a.bin", 20);
    assert_eq!(said(&there, 31), "found 32 bytes, expected 31 at most");
    assert_eq!(said(&there, 32), "found 12 bytes in weights/a.bin, expected 32");
    assert_eq!(said(&Memory(BTreeMap::new()), 32), "cannot read weights/a.bin: entity not found");
    assert_eq!(
        said(&directory("/elsewhere/a.bin", 100), 32),
        "found the location \"weights/a.bin\", a link that leads out of the model's directory"
    );
}

#[test]
fn without_a_length_the_rest_of_the_file_is_read() {
    let entry = message().text(1, "location").text(2, "weights/a.bin");
    let file = message().nest(5, message().int(2, 2).int(14, 1).nest(13, entry)).file();
    let model = Model::read(&file).unwrap();
    let Data::External(external) = &model.graph.initializers[0].data else { panic!("external") };
    let there = directory("/models/weights/a.bin", 20);
    assert_eq!(external.read(&there, 20).unwrap().len(), 20);
    assert!(matches!(external.read(&there, 19), Err(ExternalError::TooLong { most: 19, .. })));
}

#[test]
fn places_are_numbers() {
    let entry = message().text(1, "offset").text(2, "12 apples");
    let file = message().nest(5, message().int(14, 1).nest(13, entry)).file();
    let model = Model::read(&file).unwrap();
    let Data::External(external) = &model.graph.initializers[0].data else { panic!("external") };
    let said = external.offset().unwrap_err().to_string();
    assert_eq!(said, "found \"12 apples\" as offset, expected a number");
}

#[test]
fn only_paths_inside_the_directory_are_followed() {
    for (location, path) in
        [("a.bin", "a.bin"), ("./d//a.bin", "d/a.bin"), ("d\\a.bin", "d/a.bin"), ("..a", "..a")]
    {
        assert_eq!(relative(location.into()).unwrap(), Path::new(path));
    }
    for location in [
        "",
        ".",
        "/a",
        "\\a",
        "..",
        "../a",
        "a/../../b",
        "a\\..\\b",
        "C:\\a",
        "c:a",
        "d/c:/a",
        "a\0b",
    ] {
        let error = relative(location.into()).unwrap_err();
        assert!(matches!(error, ExternalError::Location { .. }), "{location}");
    }
    assert!(relative(lozenge_onnx::Text(b"\xff")).is_err());
}
