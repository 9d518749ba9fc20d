//! Hints, which open a connection or ask for a name without loading anything.

use super::{Vector, card};

pub(super) const VECTORS: &[Vector] = &[
    card("preconnect", "<link rel=preconnect href=http://HOST/>"),
    card("preconnect in head", "<head><link rel='x PreConnect' href=http://HOST/><p>body"),
    card(
        "preconnect in an entity",
        "<link rel='p&#114;econnect' href=http://HOST/>",
    ),
    card(
        "preconnect by DOM",
        "<script>document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: 'http://HOST/' }))</script>",
    ),
    card(
        "preconnect by innerHTML",
        "<div></div><script>document.querySelector('div').innerHTML = '<link rel=preconnect href=http://HOST/>'</script>",
    ),
    card(
        "preconnect by XML",
        "<script>const xml = `<a:link xmlns:a='http://www.w3.org/1999/xhtml' rel='preconnect' href='http://HOST/'/>`;
        document.head.append(new DOMParser().parseFromString(xml, 'text/xml').documentElement)</script>",
    ),
    card(
        "preconnect by createElementNS",
        "<script>const link = document.createElementNS('http://www.w3.org/1999/xhtml', 'a:link');
        link.setAttribute('href', 'http://HOST/'); document.head.append(link); link.relList.add('preconnect')</script>",
    ),
    card(
        "preconnect in a shadow root",
        "<div></div><script>document.querySelector('div').attachShadow({ mode: 'closed' }).innerHTML =
        '<link rel=preconnect href=http://HOST/>'</script>",
    ),
    card(
        "preconnect written",
        "<script>document.write('<li'); document.write('nk rel=preconnect href=http://HOST/>')</script>",
    ),
    card(
        "preconnect by a range",
        "<script>document.head.append(document.createRange().createContextualFragment('<link rel=preconnect href=http://HOST/>'))</script>",
    ),
    card(
        "preconnect by a class",
        "<script>class Link extends HTMLLinkElement {}
        customElements.define('x-link', Link, { extends: 'link' });
        const link = new Link(); link.rel = 'preconnect'; link.href = 'http://HOST/'; document.head.append(link)</script>",
    ),
    card(
        "preconnect by another document",
        "<script>const link = document.implementation.createDocument('http://www.w3.org/1999/xhtml', 'link').documentElement;
        link.setAttribute('rel', 'preconnect'); link.setAttribute('href', 'http://HOST/'); document.head.append(link)</script>",
    ),
    card(
        "preconnect by execCommand",
        "<div contenteditable>x</div><script>getSelection().selectAllChildren(document.querySelector('div'));
        document.execCommand('insertHTML', false, '<link rel=preconnect href=http://HOST/>')</script>",
    ),
    card(
        "preconnect by XSLT",
        "<script>const xml = (text) => new DOMParser().parseFromString(text, 'text/xml');
        const xslt = new XSLTProcessor();
        xslt.importStylesheet(xml(`<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>
        <xsl:output method='html'/><xsl:template match='/'><xsl:element name='link'>
        <xsl:attribute name='rel'>preconnect</xsl:attribute><xsl:attribute name='href'>http://HOST/</xsl:attribute>
        </xsl:element></xsl:template></xsl:stylesheet>`));
        document.head.append(xslt.transformToFragment(xml('<a/>'), document))</script>",
    ),
    card("dns-prefetch", "<link rel=dns-prefetch href=http://HOST/>"),
    card(
        "dns-prefetch by DOM",
        "<script>document.head.append(Object.assign(document.createElement('link'), { rel: 'dns-prefetch', href: 'http://HOST/' }))</script>",
    ),
    card(
        "dns-prefetch switched on",
        "<head><meta http-equiv=x-dns-prefetch-control content=on><link rel=dns-prefetch href=http://HOST/><a href=http://HOST/>a</a>",
    ),
    card("plain link in the document", "<a href=http://HOST/>a link that nobody presses</a>"),
    card("prefetch", "<link rel=prefetch href=http://HOST/x>"),
    card("link next", "<link rel=next href=http://HOST/x>"),
    card("link prerender", "<link rel=prerender href=http://HOST/x>"),
    card("preload image", "<link rel=preload as=image href=http://HOST/x>"),
    card("preload imagesrcset", "<link rel=preload as=image imagesrcset='http://HOST/x 1x'>"),
    card("preload fetch", "<link rel=preload as=fetch crossorigin href=http://HOST/x>"),
    card("preload style", "<link rel=preload as=style href=http://HOST/x>"),
    card("modulepreload", "<link rel=modulepreload href=http://HOST/x>"),
    card("compression-dictionary", "<link rel=compression-dictionary href=http://HOST/x>"),
    card(
        "speculation rules prefetch",
        "<script type=speculationrules>{ \"prefetch\": [{ \"urls\": [\"http://HOST/x\"], \"eagerness\": \"immediate\" }] }</script>",
    ),
    card(
        "speculation rules prerender",
        "<script type=speculationrules>{ \"prerender\": [{ \"urls\": [\"http://HOST/x\"], \"eagerness\": \"immediate\" }] }</script>",
    ),
    card(
        "speculation rules by link",
        "<a href=http://HOST/x>a</a><script type=speculationrules>{ \"prefetch\": [{ \"where\": { \"href_matches\": \"http://*:*/*\" },
        \"eagerness\": \"immediate\" }] }</script>",
    ),
];
