# The program alone: static, not as root. Build it with BuildKit from the repository's root:
#   docker build -t inline-ui .
#   docker run -p 8787:8787 -v inline-ui:/data -e INLINE_UI_PASSWORD inline-ui \
#     portal --listen 0.0.0.0:8787 --data /data --origin https://chat.example
FROM rust:1.95-alpine AS build
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev make
WORKDIR /src
COPY . .
RUN cargo build --release --locked --package inline-ui \
    && mkdir /data

FROM scratch
COPY --from=build /src/target/release/inline-ui /bin/inline-ui
COPY --from=build /src/LICENSE-APACHE /src/LICENSE-MIT /licenses/
COPY --from=build --chown=10001:10001 /data /data
USER 10001:10001
VOLUME /data
EXPOSE 8787
ENV HOME=/data
ENTRYPOINT ["/bin/inline-ui"]
CMD ["--help"]
