//! perfetto [OPERATIONS]: slices of Perfetto's SDK, by its C API, in a session of the process's own.
use perfetto_sdk::{
    heap_buffer::HeapBuffer,
    pb_msg::{PbMsg, PbMsgWriter},
    producer::{Backends, Producer, ProducerInitArgsBuilder},
    protos::config::{
        data_source_config::DataSourceConfig,
        trace_config::{TraceConfig, TraceConfigBufferConfig, TraceConfigDataSource},
        track_event::track_event_config::TrackEventConfig,
    },
    tracing_session::TracingSession,
    track_event::TrackEvent,
    track_event_begin, track_event_categories, track_event_end,
};
use std::sync::{
    atomic::{AtomicUsize, Ordering},
    Arc,
};

track_event_categories! {
    pub mod categories {
        ("bench", "what is measured", []),
    }
}
use categories as perfetto_te_ns;

fn config() -> Vec<u8> {
    let writer = PbMsgWriter::new();
    let buffer = HeapBuffer::new(writer.stream_writer());
    let mut message = PbMsg::new(&writer).expect("a message");
    TraceConfig { msg: &mut message }
        .set_buffers(|buffers: &mut TraceConfigBufferConfig| {
            buffers.set_size_kb(64 << 10);
        })
        .set_data_sources(|sources: &mut TraceConfigDataSource| {
            sources.set_config(|source: &mut DataSourceConfig| {
                source.set_name("track_event");
                source.set_track_event_config(|events: &mut TrackEventConfig| {
                    events.set_enabled_categories("bench");
                });
            });
        });
    message.finalize();
    let mut bytes = vec![0; writer.stream_writer().get_written_size()];
    buffer.copy_into(&mut bytes);
    bytes
}

fn main() {
    Producer::init(ProducerInitArgsBuilder::new().backends(Backends::IN_PROCESS).build());
    TrackEvent::init();
    categories::register().expect("the category is registered");
    let mut session = TracingSession::in_process().expect("a session");
    session.setup(&config());
    session.start_blocking();
    zones::measure("perfetto", zones::operations(), || {
        track_event_begin!("bench", "region");
        track_event_end!("bench");
    });
    session.stop_blocking();
    let kept = Arc::new(AtomicUsize::new(0));
    let counts = kept.clone();
    session.read_trace_blocking(move |data, _end| {
        counts.fetch_add(data.len(), Ordering::Relaxed);
    });
    assert!(kept.load(Ordering::Relaxed) > 0, "it kept nothing");
}
