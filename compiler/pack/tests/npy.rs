//! NumPy arrays of every accepted type, byte order and axis order become the same taps.
#![allow(clippy::unwrap_used)]

mod specimen;

use specimen::{dict, floats, npy, npz, shared};
use tdse_pack::Pack;
use tdse_pack::npy::{pack_from_npy, pack_from_npz, read_npy, write_npy};

/// Bytes of 24 small whole numbers, in the type's byte order.
macro_rules! bytes_of {
    ($type:ty, $to_bytes:ident) => {
        (0..24u8)
            .flat_map(|i| <$type>::try_from(i).unwrap().$to_bytes())
            .collect::<Vec<u8>>()
    };
}

#[test]
fn every_type_and_byte_order() {
    let cases: [(&str, Vec<u8>); 20] = [
        ("<f8", bytes_of!(f64, to_le_bytes)),
        (">f8", bytes_of!(f64, to_be_bytes)),
        ("<f4", bytes_of!(f32, to_le_bytes)),
        (">f4", bytes_of!(f32, to_be_bytes)),
        ("|i1", bytes_of!(i8, to_le_bytes)),
        ("<i2", bytes_of!(i16, to_le_bytes)),
        (">i2", bytes_of!(i16, to_be_bytes)),
        ("<i4", bytes_of!(i32, to_le_bytes)),
        (">i4", bytes_of!(i32, to_be_bytes)),
        ("<i8", bytes_of!(i64, to_le_bytes)),
        (">i8", bytes_of!(i64, to_be_bytes)),
        ("|u1", bytes_of!(u8, to_le_bytes)),
        ("<u2", bytes_of!(u16, to_le_bytes)),
        (">u2", bytes_of!(u16, to_be_bytes)),
        ("<u4", bytes_of!(u32, to_le_bytes)),
        (">u4", bytes_of!(u32, to_be_bytes)),
        ("<u8", bytes_of!(u64, to_le_bytes)),
        (">u8", bytes_of!(u64, to_be_bytes)),
        ("=f8", bytes_of!(f64, to_ne_bytes)),
        ("=i4", bytes_of!(i32, to_ne_bytes)),
    ];
    let expected: Vec<f64> = (0..24).map(f64::from).collect();
    for (descr, data) in cases {
        // NumPy never writes '=', so a refusal is right too; a wrong value is not.
        let array = match read_npy(&npy(&dict(descr, false, "(2, 3, 4)"), &data)) {
            Err(error) if descr.starts_with('=') => {
                assert_eq!(error.name(), "npy_bad_header", "{descr}");
                continue;
            }
            array => array.unwrap(),
        };
        assert_eq!(array.shape, [2, 3, 4], "{descr}");
        assert_eq!(array.data, expected, "{descr}");
    }
}

#[test]
fn fortran_order_is_put_right() {
    for shape in [[1usize, 1, 1], [2, 3, 4], [5, 1, 2], [1, 7, 3], [4, 2, 1]] {
        let [a, b, c] = shape;
        let mut stored = Vec::new();
        for k in 0..c {
            for j in 0..b {
                for i in 0..a {
                    stored.push((100 * i + 10 * j + k) as f64);
                }
            }
        }
        let header = dict("<f8", true, &format!("({a}, {b}, {c})"));
        let array = read_npy(&npy(&header, &floats(&stored))).unwrap();
        let mut expected = Vec::new();
        for i in 0..a {
            for j in 0..b {
                expected.extend((0..c).map(|k| (100 * i + 10 * j + k) as f64));
            }
        }
        assert_eq!(array.data, expected, "{shape:?}");
    }
}

#[test]
fn headers_as_numpy_and_others_write_them() {
    let data = floats(&[1.0, 2.0]);
    for text in [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
        "{\"shape\": (2,), \"fortran_order\": False, \"descr\": \"<f8\"}\n",
        "{'descr':'<f8','fortran_order':False,'shape':(2,)}                     \n",
    ] {
        assert_eq!(read_npy(&npy(text, &data)).unwrap().data, [1.0, 2.0]);
    }
    // Version 2.0 and 3.0 have four bytes of header length.
    for version in [2, 3] {
        let text = dict("<f8", false, "(2,)");
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(&data);
        assert_eq!(read_npy(&bytes).unwrap().shape, [2]);
    }
    assert_eq!(
        read_npy(&npy(&dict("<f8", false, "()"), &floats(&[7.0])))
            .unwrap()
            .shape,
        [0; 0]
    );
}

#[test]
fn written_arrays_read_back() {
    for shape in [vec![], vec![1], vec![5], vec![2, 3], vec![3, 2, 4]] {
        let data: Vec<f64> = (0..shape.iter().product())
            .map(|i| (i as f64).cos())
            .collect();
        let bytes = write_npy(&shape, &data);
        let data_at = bytes.len() - 8 * data.len();
        assert_eq!(data_at % 64, 0);
        let array = read_npy(&bytes).unwrap();
        assert_eq!((array.shape, array.data), (shape, data));
    }
}

#[test]
fn one_axis_is_one_input_and_one_output() {
    let pack = pack_from_npy(&write_npy(&[3], &[1.0, 2.0, 3.0]), 1e-9).unwrap();
    let shape = pack.shape();
    assert_eq!(
        (shape.nh(), shape.nq(), shape.np(), pack.dt()),
        (3, 1, 1, 1e-9)
    );
    assert_eq!(pack.taps(), [1.0, 2.0, 3.0]);
    // Two axes could be outputs or inputs: no guess.
    let error = pack_from_npy(&write_npy(&[3, 1], &[1.0, 2.0, 3.0]), 1e-9).unwrap_err();
    assert_eq!(error.code(), 4008);
    assert!(error.to_string().contains("2 axes"), "{error}");
}

#[test]
fn archives_give_taps_ir_and_time_step() {
    let taps = write_npy(&[2, 2, 1], &[1.0, 2.0, 3.0, 4.0]);
    let ir = write_npy(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let dt = write_npy(&[], &[0.001]);
    let fs = write_npy(&[1], &[1000.0]);
    let step = |pack: Pack| pack.dt();

    let both = npz(&[
        ("H.npy", &taps),
        ("IR.npy", &ir),
        ("dt.npy", &dt),
        ("fs.npy", &fs),
    ]);
    let pack = pack_from_npz(&both, None).unwrap();
    assert_eq!(pack.ir_steps(), 3);
    assert_eq!(step(pack), 0.001);

    let rate = npz(&[("fs.npy", &fs), ("H.npy", &taps), ("az.npy", &ir)]);
    let pack = pack_from_npz(&rate, Some(0.001)).unwrap();
    assert_eq!(pack.made_by()["arrays_left_out"], serde_json::json!(["az"]));
    assert_eq!(pack.made_by()["dt_from"], "file");
    assert_eq!(step(pack), 1.0 / 1000.0);

    let bare = npz(&[("H.npy", &taps)]);
    assert_eq!(step(pack_from_npz(&bare, Some(0.5)).unwrap()), 0.5);
    assert_eq!(
        pack_from_npz(&bare, None).unwrap_err().name(),
        "missing_time_step"
    );
    assert_eq!(
        pack_from_npz(&rate, Some(0.5)).unwrap_err().name(),
        "time_step_conflict"
    );
}

#[test]
fn a_measured_archive() {
    let Some(path) = shared("data/wav/mit_kemar_H_512x2x12_f64.npz") else {
        return;
    };
    let pack = pack_from_npz(&std::fs::read(path).unwrap(), None).unwrap();
    let shape = pack.shape();
    assert_eq!((shape.nh(), shape.nq(), shape.np()), (512, 2, 12));
    assert_eq!(pack.dt(), 1.0 / 44100.0);
}
