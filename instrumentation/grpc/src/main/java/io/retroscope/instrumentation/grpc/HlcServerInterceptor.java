package io.retroscope.instrumentation.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.retroscope.recorder.Recorder;

/**
 * The server's end: the stamp that comes with a call is observed before the service sees it, and
 * the answer's headers and trailers carry the stamps of their send events. Thread-safe.
 *
 * <p>An answer with a single message leaves its headers before that message is made known to the
 * transport, and its trailers after it: the trailers' stamp is above everything that the service
 * did for the call.
 */
public final class HlcServerInterceptor implements ServerInterceptor {
  private final Recorder recorder;

  /** An interceptor that carries the recorder's clock. */
  public HlcServerInterceptor(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    HlcMetadata.receive(recorder, headers);
    return next.startCall(
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void sendHeaders(Metadata answerHeaders) {
            HlcMetadata.inject(recorder.send(""), answerHeaders);
            super.sendHeaders(answerHeaders);
          }

          @Override
          public void close(Status status, Metadata trailers) {
            HlcMetadata.inject(recorder.send(""), trailers);
            super.close(status, trailers);
          }
        },
        headers);
  }
}
