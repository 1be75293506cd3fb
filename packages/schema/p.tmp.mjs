import { toInputSchema } from "./dist/index.js";
const kinds=["box","row","col","text"];
const make=(first)=>({type:"object",properties:{root:{$ref:"#/$defs/node"}},$defs:{node:{anyOf:kinds.map(k=>({type:"object",properties:first?{kind:{const:k},size:{type:"integer"},children:{type:"array",items:{$ref:"#/$defs/node"}}}:{children:{type:"array",items:{$ref:"#/$defs/node"}},size:{type:"integer"},kind:{const:k}},required:["kind"]}))}}});
const tree=(d,f,size)=>({kind:kinds[d%4],size:d===0?size:1,children:d===0?[]:Array.from({length:f},()=>tree(d-1,f,size))});
for (const first of [true,false]) { const s=toInputSchema(make(first));
 for (const [d,f] of [[3,3],[5,3],[6,3],[10,1],[20,1]]) { if(!first && d>6) continue;
  for (const [label,size] of [["ok",1],["coerce","1"],["bad","x"]]) { const t=performance.now(); const r=s.validate({root:tree(d,f,size)}); console.log(first?"const first":"const last",`depth ${d} fan ${f}`,label,r.success,(performance.now()-t).toFixed(0)+"ms"); if(performance.now()-t>20000) process.exit(); } } }
